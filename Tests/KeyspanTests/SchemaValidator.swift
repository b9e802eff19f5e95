#if os(Linux) || os(macOS)
import Foundation

/// Python's `jsonschema`, where it is installed.
enum SchemaValidator {
    /// A document, the schema that it may satisfy, and whether it does; both as JSON text.
    struct Case {
        let name: String
        let document: String
        let schema: String
        let isValid: Bool

        init(_ name: String, _ document: String, schema: String, isValid: Bool) {
            self.name = name
            self.document = document
            self.schema = schema
            self.isValid = isValid
        }
    }

    /// Python did not do its work.
    struct Failure: Error {
        let status: Int32
    }

    /// Whether there is a version that knows JSON Schema 2020-12.
    static let isInstalled: Bool = {
        do {
            _ = try run("from jsonschema import Draft202012Validator", input: "")
            return true
        } catch {
            return false
        }
    }()

    /// The failed cases, in their order.
    static func failures(of cases: [Case]) throws -> [String] {
        let input = cases.map { #"{"document":\#($0.document),"schema":\#($0.schema)}"# }.joined(separator: ",")
        let answers = try run(
            """
            import json, sys
            from jsonschema import Draft202012Validator, SchemaError
            validators = {}
            def validator(schema):
                text = json.dumps(schema)
                if text not in validators:
                    Draft202012Validator.check_schema(schema)
                    validators[text] = Draft202012Validator(schema)
                return validators[text]
            def answer(case):
                try:
                    return validator(case["schema"]).is_valid(case["document"])
                except Exception as error:
                    return str(error)
            json.dump([answer(case) for case in json.loads(sys.stdin.buffer.read().decode())], sys.stdout)
            """,
            input: "[\(input)]"
        )
        let parsed = try JSONSerialization.jsonObject(with: answers) as? [Any] ?? []
        return zip(cases, parsed).compactMap { one, answer in
            if answer as? Bool == one.isValid { return nil }
            return
                "\(one.name): \(one.document) is \(one.isValid ? "refused" : "accepted") (\(answer)) by \(one.schema)"
        } + (parsed.count == cases.count ? [] : ["\(parsed.count) answers to \(cases.count) cases"])
    }

    private static func run(_ program: String, input: String) throws -> Data {
        let (process, written, read) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", program]
        process.standardInput = written
        process.standardOutput = read
        process.standardError = FileHandle.nullDevice
        try process.run()
        // Python reads all of it before it writes anything, so neither waits for the other.
        try written.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try written.fileHandleForWriting.close()
        let output = try read.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(status: process.terminationStatus) }
        return output
    }
}
#endif
