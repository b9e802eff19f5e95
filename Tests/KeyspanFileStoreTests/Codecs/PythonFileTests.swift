#if os(Linux) || os(macOS)
import Foundation
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Python's `json` and `plistlib` read the files of all types of values, and their own files are read.
@Suite(.heavy, .seeded) struct PythonFileTests {
    private static let formats: [(ending: String, encode: @Sendable (PropertyListTable) throws -> [UInt8])] = [
        ("json", { JSONText.encode($0) }), ("xml", { try PropertyListData.encode($0, as: .xml) }),
        ("binary", { try PropertyListData.encode($0, as: .binary) }),
    ]

    private static func parse(_ bytes: [UInt8], _ ending: String) throws -> PropertyListTable {
        ending == "json" ? try JSONText.parseTable(bytes) : try PropertyListData.parseTable(bytes)
    }

    /// Runs a program in a folder.
    private static func run(_ program: String, in folder: TemporaryFolder, _ words: String...) throws {
        guard TestProcess.isInstalled("python3") else { try Test.cancel("Python is not installed") }
        try TestProcess.run(["python3", "-c", program, folder.path] + words)
    }

    /// Whether Python has the value in a format.
    private static func isHeld(_ value: PropertyListValue, in ending: String) -> Bool {
        switch value {
        // Its dates have years of four digits and microseconds.
        case .date(let date):
            let seconds = date.timeIntervalSinceReferenceDate
            return ending == "json" || abs(seconds) < 6e10 && seconds == seconds.rounded() && seconds.sign == .plus
        case .string(let text): return isHeld(text, in: ending)
        case .array(let elements): return elements.allSatisfy { isHeld($0, in: ending) }
        case .dictionary(let entries):
            return entries.allSatisfy { isHeld($0.key, in: ending) && isHeld($0.value, in: ending) }
        // To its writer of property lists, both zeros are one object.
        case .real(let real): return ending == "json" || real != 0 || real.sign == .plus
        case .boolean, .integer, .data: return true
        }
    }

    /// XML has no control characters.
    private static func isHeld(_ text: String, in ending: String) -> Bool {
        ending != "xml"
            || text.unicodeScalars.allSatisfy { scalar in
                (scalar.value >= 0x20 || [0x9, 0xA, 0xD].contains(scalar.value))
                    && ![0xFFFE, 0xFFFF].contains(scalar.value)
            }
    }

    @Test func `what Python writes of a file that it has read is the same file`() throws {
        let folder = try TemporaryFolder()
        var generator = SeededGenerator(seed: SeededGenerator.seedOfRun)
        let count = TestLevel.current.pick(3, thorough: 100, exhaustive: 1_000)
        var tables: [String: PropertyListTable] = [:]
        for (number, row) in TypedValues.table.enumerated() {
            let values = row.values(count, using: &generator)
            let forms = values.compactMap { try? $0.stored.get() } + values.compactMap(\.readable)
            for (ending, encode) in Self.formats {
                let held = forms.filter { Self.isHeld($0, in: ending) && !$0.isNestedDeeper(than: 120) }
                let table: PropertyListTable = ["values": .array(held)]
                let name = "\(number).\(ending)"
                try folder.write(try encode(table), to: name)
                tables[name] = table
            }
        }
        try Self.run(
            """
            import json, pathlib, plistlib, sys
            for path in sorted(pathlib.Path(sys.argv[1]).iterdir()):
                if path.suffix == ".json":
                    path.write_text(json.dumps(json.loads(path.read_bytes()), ensure_ascii=int(path.stem) % 2 == 0), "utf-8")
                else:
                    # In XML it writes a line feed for a carriage return.
                    path.write_bytes(plistlib.dumps(plistlib.loads(path.read_bytes()), fmt=plistlib.FMT_BINARY))
            """,
            in: folder
        )
        var wrong: [String] = []
        for (name, table) in tables {
            let read = try Self.parse(folder.bytes(of: name), String(name.split(separator: ".")[1]))
            let (ours, theirs) = (table["values"]?.arrayValue ?? [], read["values"]?.arrayValue ?? [])
            wrong += zip(ours, theirs).filter { $0 != $1 }.map { "\(name): \($0) is \($1)" }
            #expect(ours.count == theirs.count, "\(name)")
        }
        expectNone(wrong)
    }

    @Test func `a document that Python writes is the same in each format`() throws {
        let folder = try TemporaryFolder()
        let count = TestLevel.current.pick(100, thorough: 1_000, exhaustive: 10_000)
        try Self.run(
            """
            import json, pathlib, plistlib, random, struct, sys
            folder, count = pathlib.Path(sys.argv[1]), int(sys.argv[3])
            choose = random.Random(int(sys.argv[2]))
            def text():
                points = [choose.choice([0x9, 0xA, 0x20, 0x22, 0x26, 0x3C, 0x5C, 0x61, 0x7F, 0x85, 0xE9, 0x301, 0x2028,
                    0xD7FF, 0xE000, 0xFFFD, 0x1F600, 0x10FFFF]) for _ in range(choose.randrange(6))]
                return "".join(map(chr, points))
            def real():
                number = struct.unpack("<d", choose.randbytes(8))[0]
                return number if abs(number) < 1e308 else 0.5
            def value(levels):
                kind = choose.randrange(7 if levels else 5)
                if kind == 0: return choose.random() < 0.5
                if kind == 1: return choose.choice([0, -1, 255, 256, 65536, 2**63 - 1, 2**63, 2**64 - 1, -2**63])
                if kind == 2: return real()
                if kind == 3: return float(choose.randrange(-2**60, 2**60))
                if kind == 4: return text()
                if kind == 5: return [value(levels - 1) for _ in range(choose.randrange(5))]
                return {text(): value(levels - 1) for _ in range(choose.randrange(5))}
            for number in range(count):
                document = {text(): value(3) for _ in range(choose.randrange(8))}
                written = json.dumps(document, ensure_ascii=number % 2 == 0, indent=choose.choice([None, 1]))
                (folder / f"{number}.json").write_bytes(written.encode())
                (folder / f"{number}.xml").write_bytes(plistlib.dumps(document, sort_keys=False))
                (folder / f"{number}.binary").write_bytes(plistlib.dumps(document, fmt=plistlib.FMT_BINARY))
            """,
            in: folder,
            "\(SeededGenerator.seedOfRun)",
            "\(count)"
        )
        for number in 0..<count {
            let tables = try Self.formats.map { try Self.parse(folder.bytes(of: "\(number).\($0.ending)"), $0.ending) }
            #expect(tables[0] == tables[1] && tables[1] == tables[2], "\(tables)")
        }
    }
}
#endif
