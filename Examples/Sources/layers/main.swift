// Reads the keys through arguments, the environment and files, and prints where each value came from:
//
//     GREETER_STYLE=shouted layers settings.json defaults.plist --launch-count=3
//     layers --help
import AppKeys
import Keyspan

let keys: [Defaults.AnyKey] = [.launchCount, .style, .guests, .motto]
let files = CommandLine.arguments.dropFirst().filter { !$0.hasPrefix("-") }
let registered = RegistrationDomain()

// A misspelt argument, variable or name in a file is one of these problems.
Defaults.onProblem { problem in print(problem) }

// The highest layer first.
var layers: [LayeredStore.Layer] = [
    .init("arguments", LaunchArgumentsStore(CommandLine.arguments, keys: keys, alsoKnown: ["--help"])),
    .init("environment", EnvironmentStore(prefix: "GREETER_", keys: keys)),
]
for file in files {
    if file.hasSuffix(".plist") {
        layers.append(.init("property list", try PropertyListFileStore(path: file, keys: keys), isWritable: true))
    } else {
        layers.append(.init("file", try JSONFileStore(path: file, keys: keys), isWritable: true))
    }
}
layers.append(.init("registered", registered))

let defaults = Defaults(LayeredStore(layers))
try defaults.register(["motto": "Better late than never."])
if CommandLine.arguments.contains("--help") {
    print("usage: layers [file …] [--setting=value …]\n")
    print(defaults.help(keys), terminator: "")
} else {
    print(defaults.describe(keys), terminator: "")
    do {
        try defaults.validate(keys)
    } catch {
        print(error)
    }
}
