// Greets someone and remembers it: `greeter settings.json Ann`. Without a path the standard store is used.
import AppKeys
import Keyspan

let arguments = CommandLine.arguments.dropFirst()
if let path = arguments.first(where: { $0.hasSuffix(".json") }) {
    try Defaults.bootstrap(JSONFileStore(path: path))
}
let name = arguments.first { !$0.hasSuffix(".json") } ?? "world"

Defaults.standard.modify(.launchCount) { $0 += 1 }
if let index = Defaults[.guests].firstIndex(where: { $0.name == name }) {
    Defaults[.guests][index].visits += 1
} else {
    Defaults[.guests].append(Guest(name: name, visits: 1))
}
let visits = Defaults[.guests].first { $0.name == name }?.visits ?? 0
let greeting = "Hello, \(name)! (visit \(visits), launch \(Defaults[.launchCount]))"
print(Defaults[.style] == .shouted ? greeting.uppercased() : greeting)
if let motto = Defaults[.motto] { print(motto) }
try Defaults.standard.synchronize()
