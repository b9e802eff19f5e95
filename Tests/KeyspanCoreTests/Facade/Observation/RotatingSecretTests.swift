@_spi(StoreAuthors) import KeyspanCore
import KeyspanTesting
import Testing

/// Secrets whose former values are valid until they are acknowledged.
@Suite struct RotatingSecretTests {
    private let key = Defaults.Key<String?>("token").secret().validated(by: .ifPresent(.notEmpty))
    private let store = InMemoryStore(["token": "one"], name: "vault")
    private var defaults: Defaults { Defaults(store) }

    /// What happens to a secret whose value was `one` at first.
    enum Step: Sendable {
        case write(String)
        case remove
        /// A value of another kind.
        case damage
        /// An acknowledgment of the rotation with that number, from 1.
        case acknowledge(Int)
    }

    struct Course: Sendable, CustomTestStringConvertible {
        let steps: [Step]
        let current: String?
        let previous: [String]
        var isPending = true
        var problems = 0

        var testDescription: String { "\(steps)" }
    }

    @Test(arguments: [
        Course(steps: [], current: "one", previous: [], isPending: false),
        Course(steps: [.write("two")], current: "two", previous: ["one"]),
        Course(steps: [.write("two"), .acknowledge(1)], current: "two", previous: [], isPending: false),
        Course(
            steps: [.write("two"), .acknowledge(1), .acknowledge(1)],
            current: "two",
            previous: [],
            isPending: false
        ),
        // Two rotations before an acknowledgment.
        Course(steps: [.write("two"), .write("three")], current: "three", previous: ["two", "one"]),
        Course(steps: [.write("two"), .write("three"), .acknowledge(1)], current: "three", previous: ["two"]),
        Course(
            steps: [.write("two"), .write("three"), .acknowledge(2)],
            current: "three",
            previous: [],
            isPending: false
        ),
        Course(
            steps: [.write("two"), .write("three"), .acknowledge(2), .acknowledge(1)],
            current: "three",
            previous: [],
            isPending: false
        ),
        // A rotation back.
        Course(steps: [.write("two"), .write("one")], current: "one", previous: ["two"]),
        Course(steps: [.write("two"), .write("one"), .acknowledge(1)], current: "one", previous: ["two"]),
        Course(
            steps: [.write("two"), .write("one"), .acknowledge(2)],
            current: "one",
            previous: [],
            isPending: false
        ),
        Course(steps: [.write("two"), .write("one"), .write("two")], current: "two", previous: ["one"]),
        // Damaged values.
        Course(steps: [.damage], current: "one", previous: [], isPending: false, problems: 1),
        Course(steps: [.write("")], current: "one", previous: [], isPending: false, problems: 1),
        Course(steps: [.damage, .write("one")], current: "one", previous: [], isPending: false, problems: 1),
        Course(steps: [.write("two"), .damage], current: "two", previous: ["one"], problems: 1),
        Course(steps: [.damage, .write("two")], current: "two", previous: ["one"], problems: 1),
        Course(
            steps: [.write("two"), .write(""), .damage, .acknowledge(1)],
            current: "two",
            previous: [],
            isPending: false,
            problems: 2
        ),
        // Removals.
        Course(steps: [.remove], current: nil, previous: ["one"]),
        Course(steps: [.remove, .acknowledge(1)], current: nil, previous: [], isPending: false),
        Course(steps: [.remove, .write("one")], current: "one", previous: []),
        Course(steps: [.write("two"), .remove, .write("three")], current: "three", previous: ["two", "one"]),
        // Canonically equivalent, but different passwords.
        Course(steps: [.write("\u{E9}"), .write("e\u{301}")], current: "e\u{301}", previous: ["\u{E9}", "one"]),
    ])
    func `former values are valid until their rotation is acknowledged`(course: Course) async throws {
        let problems = Locked<[String]>([])
        let secret = Defaults.RotatingSecret(key, in: defaults)
        var rotations: [Defaults.RotatingSecret<String>.Rotation] = []
        for step in course.steps {
            switch step {
            case .acknowledge(let number):
                rotations[number - 1].acknowledge()
                continue
            case .write(let text): try write(.set(.string(text), key: "token"), problems)
            case .remove: try write(.remove(key: "token"), problems)
            case .damage: try write(.set(5, key: "token"), problems)
            }
            if let rotation = secret.pendingRotation, rotation.description != rotations.last?.description {
                rotations.append(rotation)
            }
        }
        #expect(secret.current.map { Array($0.utf8) } == course.current.map { Array($0.utf8) })
        #expect(secret.previous.map { Array($0.utf8) } == course.previous.map { Array($0.utf8) })
        #expect((secret.pendingRotation != nil) == course.isPending)
        #expect(problems.withLock(\.count) == course.problems)
        #expect(problems.withLock { $0 }.allSatisfy { $0.contains("token") && $0.contains("vault") })
        var accepted: [String] = []
        #expect(
            !secret.accepts { value in
                accepted.append(value)
                return false
            }
        )
        #expect(
            accepted.map { Array($0.utf8) }
                == ([course.current].compactMap(\.self) + course.previous).map { Array($0.utf8) }
        )
    }

    private func write(_ write: PropertyListBatch.Operation, _ problems: borrowing Locked<[String]>) throws {
        let reported = try reportedProblems { try store.apply(PropertyListBatch(write)) }
        problems.withLock { $0 += reported }
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
            // What was current once is accepted, or a later value is.
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
