@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// The same members in JSON, YAML and TOML are the same entries.
@Suite(.seeded)
struct EquivalenceTests {
    private static let keys = ["port", "tls.port", "tls.client.port", "headers", "list"]
    private static let count = TestLevel.current.pick(300, thorough: 3_000)

    @Test(arguments: LayerFormat.allCases)
    func `a file has the entries of the same file in JSON`(_ format: LayerFormat) throws {
        var generator = SeededGenerator(seed: SeededGenerator.seedOfRun)
        let double = try FollowedFileDouble(format)
        let folder = try TemporaryFolder()
        for number in 0..<Self.count {
            let members = WrittenValue.randomMembers(levels: 3, using: &generator)
            let json = WrittenValue.object(members).json
            let text =
                format.text(
                    yaml: WrittenValue.yaml(of: members, using: &generator),
                    toml: WrittenValue.toml(of: members, using: &generator)
                )
            let place = "seed \(SeededGenerator.seedOfRun), number \(number):\n\(json)\n\(text)"
            let reference: PropertyListTable
            do {
                reference = try JSONText.parseTable(Array(json.utf8))
            } catch {
                // An array with null in it has no form as a property list.
                #expect(throws: TextFileError.self, "\(place)") { try format.parse(text) }
                continue
            }
            let parsed = Result { try format.parse(text) }
            guard case .success(let table) = parsed else {
                Issue.record("\(parsed) \(place)")
                return
            }
            try #require(table == reference, "\(place)")
            // To open stores takes longer.
            guard number.isMultiple(of: 10) else { continue }
            try double.write(text)
            let store = try double.open(keys: Self.keys, unknownNames: .areIgnored)
            let other = try JSONFileStore(
                path: try folder.write(json, to: "settings.json"),
                keys: Self.keys.map { Defaults.Key<String?>($0) },
                unknownNames: .areIgnored,
                seams: FileStoreSeams(fileSystem: POSIXFileSystem(), report: { _ in })
            )
            try #require(store.snapshot() == other.snapshot(), "\(place)")
        }
    }
}
