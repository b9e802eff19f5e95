@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Secrets whose former values are valid until they are acknowledged.
@Suite(.bounded) struct RotatingSecretTests {
    private let key = Defaults.Key<String?>("token").secret().validated(by: .ifPresent(.notEmpty))
    private let store = InMemoryStore(["token": "one"], name: "vault")
    private var defaults: Defaults { Defaults(store) }

    /// What happens to a secret whose value was `one` at first: words that are written, and `-` for a removal, `5` for a value of
    /// another kind, `""` for an empty text, and `ack1` for an acknowledgment of the first rotation.
    struct Course: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let current: String?
        let previous: [String]
        var isPending = true
        var problems = 0

        init(_ steps: String, _ current: String?, _ previous: [String], isPending: Bool = true, problems: Int = 0) {
            testDescription = steps
            (self.current, self.previous, self.isPending, self.problems) = (current, previous, isPending, problems)
        }
    }

    @Test(arguments: [
        Course("", "one", [], isPending: false),
        Course("two", "two", ["one"]),
        Course("two ack1", "two", [], isPending: false),
        Course("two ack1 ack1", "two", [], isPending: false),
        // Two rotations before an acknowledgment.
        Course("two three", "three", ["two", "one"]),
        Course("two three ack1", "three", ["two"]),
        Course("two three ack2", "three", [], isPending: false),
        Course("two three ack2 ack1", "three", [], isPending: false),
        // A rotation back.
        Course("two one", "one", ["two"]),
        Course("two one ack1", "one", ["two"]),
        Course("two one ack2", "one", [], isPending: false),
        Course("two one two", "two", ["one"]),
        // Damaged values.
        Course("5", "one", [], isPending: false, problems: 1),
        Course("\"\"", "one", [], isPending: false, problems: 1),
        Course("5 one", "one", [], isPending: false, problems: 1),
        Course("two 5", "two", ["one"], problems: 1),
        Course("5 two", "two", ["one"], problems: 1),
        Course("two \"\" 5 ack1", "two", [], isPending: false, problems: 2),
        // Removals.
        Course("-", nil, ["one"]),
        Course("- ack1", nil, [], isPending: false),
        Course("- one", "one", []),
        Course("two - three", "three", ["two", "one"]),
        // Canonically equivalent, but different passwords.
        Course("\u{E9} e\u{301}", "e\u{301}", ["\u{E9}", "one"]),
    ])
    func `former values are valid until their rotation is acknowledged`(course: Course) async throws {
        var problems: [String] = []
        let secret = Defaults.RotatingSecret(key, in: defaults)
        var rotations: [Defaults.RotatingSecret<String>.Rotation] = []
        for step in course.testDescription.split(separator: " ").map(String.init) {
            if step.hasPrefix("ack"), let number = Int(step.dropFirst(3)) {
                rotations[number - 1].acknowledge()
                continue
            }
            let values: [String: PropertyListValue?] = ["-": nil, "5": 5, "\"\"": ""]
            let value = values[step] ?? .string(step)
            let write = value.map { PropertyListBatch.Operation.set($0, key: "token") } ?? .remove(key: "token")
            problems += try reportedProblems { try store.apply(PropertyListBatch(write)) }
            if let rotation = secret.pendingRotation, rotation.description != rotations.last?.description {
                rotations.append(rotation)
            }
        }
        func bytes(_ texts: [String?]) -> [[UInt8]] { texts.compactMap { $0.map { Array($0.utf8) } } }
        #expect(bytes([secret.current]) == bytes([course.current]))
        #expect(bytes(secret.previous) == bytes(course.previous))
        #expect((secret.pendingRotation != nil) == course.isPending)
        #expect(problems.count == course.problems)
        #expect(problems.allSatisfy { $0.contains("token") && $0.contains("vault") })
        var accepted: [String] = []
        let isAccepted = secret.accepts { value in
            accepted.append(value)
            return false
        }
        #expect(!isAccepted && bytes(accepted) == bytes([course.current] + course.previous))
    }

    @Test func `a first value that is damaged is the default, until a good one comes`() throws {
        try store.apply(PropertyListBatch(.set(5, key: "token")))
        let problems = reportedProblems {
            let secret = Defaults.RotatingSecret(key, in: defaults)
            #expect(secret.current == nil && secret.previous.isEmpty && secret.pendingRotation == nil)
            defaults[key] = "two"
            #expect(secret.current == "two")
            #expect(secret.pendingRotation?.old == nil && secret.pendingRotation?.new == "two")
        }
        #expect(problems.count == 1)
    }

    @Test func `a reader receives each rotation with both values, and a slow one the last`() async throws {
        let secret = Defaults.RotatingSecret(key, in: defaults)
        defaults[key] = "two"
        var seen: [[String?]] = []
        for await rotation in secret.rotations() {
            seen.append([rotation.old, rotation.new])
            switch rotation.new {
            case "two":
                #expect(secret.accepts { $0 == "one" })
                rotation.acknowledge()
                #expect(!secret.accepts { $0 == "one" })
                defaults[key] = "three"
            case "three":
                for text in ["four", "five"] { defaults[key] = text }
            default:
                #expect(secret.previous == ["four", "three", "two"])
                rotation.acknowledge()
                #expect(secret.previous.isEmpty)
            }
            if rotation.new == "five" { break }
        }
        #expect(seen == [["one", "two"], ["two", "three"], ["four", "five"]])
    }

    @Test func `a rotation that was acknowledged elsewhere is not received`() async {
        let secret = Defaults.RotatingSecret(key, in: defaults)
        let rotations = secret.rotations()
        defaults[key] = "two"
        secret.pendingRotation?.acknowledge()
        defaults[key] = "three"
        for await rotation in rotations {
            #expect(rotation.old == "two" && rotation.new == "three")
            break
        }
    }

    @Test func `the sequence keeps the secret alive, and ends with its task`() async {
        weak var secret: Defaults.RotatingSecret<String>?
        let (started, isStarted) = AsyncStream<Void>.makeStream()
        do {
            let made = Defaults.RotatingSecret(key, in: defaults)
            secret = made
            let rotations = made.rotations()
            let reader = Task {
                var count = 0
                for await _ in rotations {
                    count += 1
                    isStarted.yield()
                }
                return count
            }
            defaults[key] = "two"
            for await _ in started { break }
            #expect(secret != nil)
            reader.cancel()
            #expect(await reader.value == 1)
        }
        defaults[key] = "three"
        #expect(secret == nil)
    }

    @Test func `no value is in a description, a mirror or a dump`() throws {
        let secret = Defaults.RotatingSecret(key, in: defaults)
        defaults[key] = "two"
        let rotation = try #require(secret.pendingRotation)
        var text = "\(secret) \(rotation) \(String(reflecting: secret)) \(String(reflecting: rotation)) \([rotation])"
        dump(secret, to: &text)
        dump(rotation, to: &text)
        dump(["a": rotation], to: &text)
        #expect(!text.contains("two") && !text.contains("one"), "\(text)")
        #expect(secret.description == #"the rotating secret "token" with 1 former values"#)
    }

    @Test func `threads that rotate, acknowledge and check see no moment without a valid value`() async throws {
        let (key, defaults) = (key, defaults)
        let secret = Defaults.RotatingSecret(key, in: defaults)
        let rounds = 500
        async let writing: Void = TestThread.run {
            for round in 1...rounds { defaults[key] = "\(round)" }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 { group.addTask { try await TestThread.run { Self.check(secret, upTo: rounds) } } }
            try await group.waitForAll()
        }
        try await writing
        secret.pendingRotation?.acknowledge()
        #expect(secret.current == "\(rounds)" && secret.previous.isEmpty)
    }

    /// Checks numbers that grow, and acknowledges each rotation, until it has seen the last one.
    private static func check(_ secret: Defaults.RotatingSecret<String>, upTo rounds: Int) {
        var last = 0
        while last < rounds {
            // The secret accepts each value that was current, or a later one.
            var newest = 0
            let isAccepted = secret.accepts { value in
                let number = Int(value) ?? 0
                newest = max(newest, number)
                return number >= last
            }
            #expect(isAccepted)
            last = max(last, newest)
            guard let rotation = secret.pendingRotation else { continue }
            rotation.acknowledge()
            #expect(secret.current != rotation.old)
        }
    }
}
