import ArgumentParser

/// `domains`: prints the names of all domains.
struct DomainsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "domains",
        abstract: "Print the names of all domains, on one line with commas between them.",
        discussion: "Each domain that has a file is listed, also if the file has no keys or cannot be read."
    )

    func run() throws {
        let output = StandardStream.output
        let names = try DomainSurvey(of: DomainFolder()).names
        try output.writeLine(names.map(output.style.domain).joined(separator: ", "))
    }
}
