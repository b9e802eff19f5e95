import LibFuzzer

@_spi(StoreAuthors) @testable import KeyspanCore
@_spi(StoreAuthors) @testable import KeyspanFileStore
@_spi(StoreAuthors) @testable import KeyspanTOML

/// Checks the properties of the readers of texts that people write that hold for every text.
struct TextCheck {
    let text: [UInt8]

    func run() {
        checkTOML()
        checkDotEnv()
        checkOldStyle()
        checkVariable()
    }

    private func checkTOML() {
        do throws(TextFileError) {
            let read = try TOMLText().parse(text)
            for (name, value) in read.members { check(value, at: [.name(name)], read.lines) }
        } catch {
            checkPlace(error.line, error.column, error)
        }
    }

    /// Checks that each name has a line of the text.
    private func check(_ value: PropertyListValue, at path: [ValuePath.Step], _ lines: MemberLines) {
        if case .name? = path.last {
            let line = lines.member(at: path)?.line
            Fuzzing.check(line.map { (1...lineCount).contains($0) } == true, "no line of \(path)")
        }
        guard case .dictionary(let members) = value else { return }
        // The members of an escaped dictionary are deeper in the text.
        for (name, member) in members where lines.member(at: path + [.name(name)]) != nil {
            check(member, at: path + [.name(name)], lines)
        }
    }

    private func checkDotEnv() {
        do throws(DotEnvTextError) {
            let definitions = try DotEnvText.parse(text)
            Fuzzing.check(Set(definitions.map(\.name)).count == definitions.count, "a name is there twice")
            for definition in definitions {
                Fuzzing.check((1...lineCount).contains(definition.line), "no line of \(definition.name)")
            }
        } catch {
            checkPlace(error.line, error.column, error)
        }
    }

    private func checkOldStyle() {
        do throws(TextFormatError) {
            let value = try OldStyleReader.parse(String(decoding: text, as: UTF8.self))
            Fuzzing.check(!value.isNestedDeeper(), "a value was read that is nested too deep")
        } catch {
            Fuzzing.check(
                (1...lineCount).contains(error.line) && error.column > 0,
                "the place is not in the text: \(error)"
            )
        }
    }

    private func checkVariable() {
        guard !text.contains(0) else { return }
        let environment = ["KEY": String(decoding: text, as: UTF8.self)]
        let defaults = Defaults(EnvironmentStore(prefix: "", environment: environment))
        check([String: Int].self, of: defaults)
        check([[String]].self, of: defaults)
        check(Duration.self, of: defaults)
    }

    /// Checks that a value which is read completely is read alike when parts may be skipped.
    private func check<Value: Defaults.Serializable & Equatable>(_ type: Value.Type, of defaults: Defaults) {
        let key = Defaults.Key<Value?>("key")
        Defaults.withProblemHandler({ _ in }) {
            guard let value = try? defaults.value(for: key) else { return }
            Fuzzing.check(defaults[key] == value, "a value is read in two ways")
        }
    }

    private var lineCount: Int { text.count { $0 == UInt8(ascii: "\n") } + 1 }

    private func checkPlace(_ line: Int, _ column: Int, _ error: any Error) {
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.indices.contains(line - 1) else {
            return Fuzzing.check(false, "the text has \(lines.count) lines: \(error)")
        }
        // Every scalar has exactly one byte that is not a continuation byte.
        let columns = lines[line - 1].count { $0 & 0xC0 != 0x80 } + 1
        Fuzzing.check((1...columns).contains(column), "the line has \(columns) columns: \(error)")
    }
}
