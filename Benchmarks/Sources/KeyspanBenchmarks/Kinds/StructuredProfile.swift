import Keyspan

/// The same four fields, stored as a property list that people can edit.
struct StructuredProfile: Codable, Defaults.PreferStructured, BenchmarkValue {
    let name: String
    let age: Int
    let score: Double
    let isAdministrator: Bool

    static let typeName = "structured Codable"
    static let fallback = StructuredProfile(name: "", age: 0, score: 0, isAdministrator: false)
    static let samples = (
        StructuredProfile(name: "Augusta Ada King, Countess of Lovelace", age: 36, score: 0.75, isAdministrator: true),
        StructuredProfile(name: "Alan Mathison Turing, mathematician", age: 41, score: 0.25, isAdministrator: false)
    )
}
