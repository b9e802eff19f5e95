import Keyspan

// `read-one-value FILE KEY` opens a file and reads one value: what the start of each program costs that has its settings in one.

struct MissingKey: Error {}

let store = try JSONFileStore(path: CommandLine.arguments[1])
if store.value(forKey: CommandLine.arguments[2]) == nil { throw MissingKey() }
