import Keyspan

/// A structure of four fields that is stored as JSON.
struct Profile: Codable, BenchmarkValue {
    let name: String
    let age: Int
    let score: Double
    let isAdministrator: Bool

    static let typeName = "Codable"
    static let fallback = Profile(name: "", age: 0, score: 0, isAdministrator: false)
    static let samples = (
        Profile(name: "Augusta Ada King, Countess of Lovelace", age: 36, score: 0.75, isAdministrator: true),
        Profile(name: "Alan Mathison Turing, mathematician", age: 41, score: 0.25, isAdministrator: false)
    )
}
