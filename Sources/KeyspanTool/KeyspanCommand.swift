import ArgumentParser

@main
struct KeyspanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "keyspan")
}
