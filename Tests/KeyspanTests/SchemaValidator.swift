#if os(Linux) || os(macOS)
import Foundation
import KeyspanTestSupport

/// Python's `jsonschema`, where it is installed.
enum SchemaValidator {
    /// A document, the schema that it may satisfy, and whether it does; both as JSON text.
    struct Case {
        let name: String
        let document: String
        let schema: String
        let isValid: Bool
    }

    /// The failed cases, in their order, or `nil` where no version is installed that knows JSON Schema 2020-12.
    static func failures(of cases: [Case]) throws -> [String]? {
        guard TestProcess.isInstalled("python3") else { return nil }
        let program = #"""
            import json, re, sys
            try:
                from jsonschema import Draft202012Validator
            except ImportError:
                sys.exit(print("null"))
            # Patterns are those of ECMA 262, where $ is the end alone; Python's matches before a line feed there as well.
            part, search = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\$"), re.search
            ends = lambda found: r"\Z" if found[0] == "$" else found[0]
            re.search = lambda pattern, text: search(part.sub(ends, pattern), text)
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
            """#
        let input = cases.map { #"{"document":\#($0.document),"schema":\#($0.schema)}"# }.joined(separator: ",")
        let output = try TestProcess.run(["python3", "-c", program], input: Array("[\(input)]".utf8))
        let parsed = try JSONSerialization.jsonObject(with: Data(output.utf8), options: .fragmentsAllowed)
        guard let answers = parsed as? [Any] else { return nil }
        return zip(cases, answers).compactMap { one, answer in
            if answer as? Bool == one.isValid { return nil }
            let verb = one.isValid ? "refused" : "accepted"
            return "\(one.name): \(one.document) is \(verb) (\(answer)) by \(one.schema)"
        } + (answers.count == cases.count ? [] : ["\(answers.count) answers to \(cases.count) cases"])
    }
}
#endif
