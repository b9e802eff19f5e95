import ArgumentParser

/// `domains`: prints the names of all domains.
struct DomainsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "domains",
        abstract: "Print the names of all domains, on one line with commas between them.",
        discussion: "A domain whose file cannot be read is listed, one without keys is not."
    )

    func run() throws {
        try StandardStream.output.writeLine(DomainSurvey(of: DomainFolder()).names.joined(separator: ", "))
    }
}
