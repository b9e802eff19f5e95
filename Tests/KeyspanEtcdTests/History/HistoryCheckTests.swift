import Testing

/// A correct history and all ways to make it wrong, each of which the check must find.
@Suite struct HistoryCheckTests {
    /// Two stores that show states of the cluster, `s` and `t`, and `g`, which writes in the background.
    private static var correct: History {
        var history = History()
        history.background = ["g"]
        history.calls = [
            call("s1", "s", ["a": "s1", "b": "s1"], 10, 19),
            call("s2", "s", ["n": "1#s2"], expected: ["n": nil], 20, 29),
            call("t1", "t", ["b": nil, "c": "t1"], 30, 39),
            call("t2", "t", ["n": "2#t2"], expected: ["n": "1#s2"], 40, 49),
            // The first one was replaced before it was sent, and its removal was not; the two others went together.
            call("g1", "g", ["d": "g1", "c": nil], 31, 69),
            call("g2", "g", ["d": "g2", "e": "g2"], 32, 69),
            call("g3", "g", ["e": "g3"], 33, 69),
            call("s3", "s", ["a": "s3", "d": "s3"], 60, .max, .unknown),
            call("t3", "t", ["a": "t3"], expected: ["a": "none"], 61, 62, .refused),
            call("s4", "s", ["b": "s4"], 63, .max, .unknown),
            call("t4", "t", ["x": "t4"], removesAll: true, 80, 89),
        ]
        history.truth = [
            .init(number: 2, events: ["a": "s1", "b": "s1"]),
            .init(number: 4, events: ["n": "1#s2"]),
            .init(number: 6, events: ["b": nil, "c": "t1"]),
            .init(number: 8, events: ["n": "2#t2"]),
            .init(number: 10, events: ["c": nil, "d": "g2", "e": "g3"]),
            .init(number: 12, events: ["a": "s3", "d": "s3"]),
            .init(number: 14, events: ["a": nil, "d": nil, "e": nil, "n": nil, "x": "t4"]),
        ]
        history.observers["s"] = History.Observer(
            changes: [
                change(["a": (nil, "s1"), "b": (nil, "s1")]), change(["n": (nil, "1#s2")]),
                change(["b": ("s1", nil), "c": (nil, "t1")]), change(["n": ("1#s2", "2#t2")]),
                change(["c": ("t1", nil), "d": (nil, "g2"), "e": (nil, "g3")]),
                change(["a": ("s1", "s3"), "d": ("g2", "s3")]),
                change(["a": ("s3", nil), "d": ("s3", nil), "e": ("g3", nil), "n": ("2#t2", nil), "x": (nil, "t4")]),
            ],
            final: ["x": "t4"]
        )
        history.observers["g"] = History.Observer(
            start: ["a": "s1", "b": "s1"],
            changes: [
                change(["d": (nil, "g1")]), change(["d": ("g1", "g2"), "e": (nil, "g2")]), change(["e": ("g2", "g3")]),
                change(["b": ("s1", nil), "n": (nil, "2#t2")]), change(["a": ("s1", "s3"), "d": ("g2", "s3")]),
                change(["a": ("s3", nil), "d": ("s3", nil), "e": ("g3", nil), "n": ("2#t2", nil), "x": (nil, "t4")]),
            ],
            final: ["x": "t4"]
        )
        history.reads["s"] = [
            read([:], 5), read(["a": "s1", "b": "s1"], 19), read(["a": "s1", "c": "t1", "n": "1#s2"], 50),
            read(["a": "s1"], 51, isWhole: false), read(["a": "s3", "d": "s3", "e": "g3", "n": "2#t2"], 70),
            read(["x": "t4"], 90),
        ]
        history.reads["g"] = [
            read(["a": "s1", "b": "s1", "d": "g1"], 31), read(["a": "s1", "d": "g2", "e": "g3", "n": "1#s2"], 60),
            read(["n": "2#t2"], 61, isWhole: false), read(["x": "t4"], 90),
        ]
        return history
    }

    @Test func `a correct history is accepted`() {
        #expect(HistoryCheck(Self.correct).failures == [])
    }

    /// A way to make the history wrong, and a sentence that the check must say of it.
    struct Fault: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let sentence: String
        let make: @Sendable (inout History) -> Void

        init(_ name: String, _ sentence: String, _ make: @escaping @Sendable (inout History) -> Void) {
            (testDescription, self.sentence, self.make) = (name, sentence, make)
        }
    }

    @Test(arguments: ofCalls + ofObservers + ofReads)
    func `a history with a fault is rejected for that fault`(fault: Fault) {
        var history = Self.correct
        fault.make(&history)
        #expect(HistoryCheck(history).failures.contains(fault.sentence))
    }

    private static let ofCalls = [
        Fault("an acknowledged call is lost", "s1 was acknowledged, but no revision has it") { $0.truth.remove(at: 0) },
        Fault("an acknowledged call never reached the cluster", "t9 was acknowledged, but no revision has it") {
            $0.calls.append(call("t9", "t", ["a": "t9"], 95, 96))
        },
        Fault(
            "a replaced call of a store that does not write in the background",
            "g1 was acknowledged, but no revision has it"
        ) {
            $0.background = []
        },
        Fault("an acknowledged call happened twice", "s1 happened more than once, in 2, 5") {
            $0.truth.insert(.init(number: 5, events: ["a": "s1", "b": "s1"]), at: 2)
        },
        Fault("a text of an acknowledged call was written again", "s1 happened more than once, in 2, 5") {
            $0.truth.insert(.init(number: 5, events: ["a": "s1"]), at: 2)
        },
        Fault("an unknown call happened twice", "s3 happened more than once, in 12, 13") {
            $0.truth.insert(.init(number: 13, events: ["a": "s3", "d": "s3"]), at: 6)
        },
        Fault("an acknowledged call is scattered", "s1 is scattered over 2, 3") {
            $0.truth[0].events["b"] = nil
            $0.truth.insert(.init(number: 3, events: ["b": "s1"]), at: 1)
        },
        Fault("an unknown call is scattered", "s3 is scattered over 12, 13") {
            $0.truth[5].events["d"] = nil
            $0.truth.insert(.init(number: 13, events: ["d": "s3"]), at: 6)
        },
        Fault("an acknowledged call lacks a key", "s1 is torn: 2 lacks its b") { $0.truth[0].events["b"] = nil },
        Fault("an acknowledged call lacks a removal", "t1 is torn: 6 lacks its b") { $0.truth[2].events["b"] = nil },
        Fault("an unknown call lacks a key", "s3 is torn: 12 lacks its d") { $0.truth[5].events["d"] = nil },
        Fault("a call in the background lacks a key", "g2 is torn: 10 lacks its e") { $0.truth[4].events["e"] = nil },
        Fault("a removal of everything left a key behind", "t4 is torn: 14 lacks its e") {
            $0.truth[6].events["e"] = nil
        },
        Fault("a key of a call has another value", "s1 is torn: 2 lacks its b") { $0.truth[0].events["b"] = "other" },
        Fault("a call ended before one of an earlier revision began", "t1 of 6 had returned before s2, which is of 4") {
            ($0.calls[2].began, $0.calls[2].ended) = (18, 19)
        },
        Fault("a call began after one of a later revision had ended", "t4 of 14 had returned before s1, which is of 2")
        {
            ($0.calls[0].began, $0.calls[0].ended) = (91, 92)
        },
        Fault("a call that was given up happened after a later one", "s3 of 12 had returned before s4, which is of 11")
        {
            $0.calls[7].ended = 62
            $0.truth.insert(.init(number: 11, events: ["b": "s4"]), at: 5)
        },
        Fault("a call that happened is said to be refused", "s2 was refused, but happened in 4") {
            $0.calls[1].outcome = .refused
        },
        Fault("a refused call happened", "t3 was refused, but happened in 13") {
            $0.truth.insert(.init(number: 13, events: ["a": "t3"]), at: 6)
        },
        Fault("a key vanished from the cluster", "no call wrote nothing to x, as 15 did") {
            $0.truth.append(.init(number: 15, events: ["x": nil]))
        },
        Fault("the cluster has a value that no call wrote", "no call wrote stray to b, as 3 did") {
            $0.truth.insert(.init(number: 3, events: ["b": "stray"]), at: 1)
        },
        Fault("a batch expected another value", "t2 expected wrong for n, but 8 replaced 1#s2") {
            $0.calls[3].expected["n"] = "wrong"
        },
        Fault("a batch replaced a value that came right before it", "t2 expected 1#s2 for n, but 8 replaced stray") {
            $0.truth.insert(.init(number: 7, events: ["n": "stray"]), at: 3)
        },
        Fault("an increment wrote what the counter had", "no call wrote 1#t2 to n, as 8 did") {
            $0.truth[3].events["n"] = "1#t2"
        },
        Fault("an increment added two", "no call wrote 3#t2 to n, as 8 did") { $0.truth[3].events["n"] = "3#t2" },
        Fault("an increment was lost, on which a later one builds", "t2 expected 1#s2 for n, but 8 replaced nothing") {
            $0.truth.remove(at: 1)
        },
        Fault("an increment returned another value than it wrote", "t2 was acknowledged, but no revision has it") {
            $0.calls[3].changes["n"] = "7#t2"
        },
        Fault("a counter has a wrong total", "no call wrote 7 to n, as 15 did") {
            $0.truth.append(.init(number: 15, events: ["n": "7"]))
        },
    ]

    private static let ofObservers = [
        Fault(
            "an observer missed a change",
            "change 1 of s leads to a state that the cluster never had, after revision 2"
        ) {
            $0.observers["s"]?.changes.remove(at: 1)
        },
        Fault("two changes are swapped", "change 1 of s leads to a state that the cluster never had, after revision 2")
        {
            $0.observers["s"]?.changes.swapAt(1, 2)
        },
        Fault("a change came much later", "change 1 of s leads to a state that the cluster never had, after revision 2")
        {
            guard let change = $0.observers["s"]?.changes.remove(at: 1) else { return }
            $0.observers["s"]?.changes.insert(change, at: 4)
        },
        Fault("a change came twice", "change 2 of s has nothing as the old value of n, which was 1#s2") {
            $0.observers["s"]?.changes.insert(change(["n": (nil, "1#s2")]), at: 2)
        },
        Fault("an earlier change came again", "change 3 of s has nothing as the old value of n, which was 1#s2") {
            $0.observers["s"]?.changes.insert(change(["n": (nil, "1#s2")]), at: 3)
        },
        Fault("an observer missed the last change", "the observer of s never saw revision 14") {
            $0.observers["s"]?.changes.removeLast()
        },
        Fault("an observer missed the last five changes", "the observer of s never saw revision 6") {
            $0.observers["s"]?.changes.removeLast(5)
        },
        Fault("a change has a wrong old value", "change 1 of s has wrong as the old value of n, which was nothing") {
            $0.observers["s"]?.changes[1].values["n"]?.old = "wrong"
        },
        Fault("a change lacks a key", "change 0 of s leads to a state that the cluster never had, after revision 0") {
            $0.observers["s"]?.changes[0].values["b"] = nil
        },
        Fault(
            "a batch came as two changes",
            "change 2 of s leads to a state that the cluster never had, after revision 4"
        ) {
            $0.observers["s"]?.changes[2].values["b"] = nil
            $0.observers["s"]?.changes.insert(change(["b": ("s1", nil)]), at: 3)
        },
        Fault("two revisions came as one change", "change 0 of s skips states, after revision 0") {
            $0.observers["s"]?.changes.remove(at: 1)
            $0.observers["s"]?.changes[0].values["n"] = (nil, "1#s2")
        },
        Fault("an observer went back", "change 2 of s goes back, after revision 4") {
            $0.observers["s"]?.changes.insert(change(["n": ("1#s2", nil)]), at: 2)
        },
        Fault(
            "an observer began with a key too many",
            "the observer of s began with a state that the cluster never had"
        ) {
            $0.observers["s"]?.start["stray"] = "1"
        },
        Fault("the final values lack a key", "s has nothing for x instead of t4 in the end") {
            $0.observers["s"]?.final = [:]
        },
        Fault("the final values have an older one", "g has older for x instead of t4 in the end") {
            $0.observers["g"]?.final = ["x": "older"]
        },
        Fault(
            "a background observer went back to a value of another client",
            "change 5 of g goes back to s1 for a, after revision 12"
        ) {
            let changes = [change(["a": ("s3", "s1")]), change(["a": ("s1", "s3")])]
            $0.observers["g"]?.changes.insert(contentsOf: changes, at: 5)
        },
        Fault(
            "a background observer went back to an own value",
            "change 5 of g goes back to g2 for d, after revision 12"
        ) {
            let changes = [change(["d": ("s3", "g2")]), change(["d": ("g2", "s3")])]
            $0.observers["g"]?.changes.insert(contentsOf: changes, at: 5)
        },
        Fault(
            "a background observer saw a value that nobody wrote",
            "change 0 of g has stray for y, which nobody wrote"
        ) {
            $0.observers["g"]?.changes.insert(change(["y": (nil, "stray")]), at: 0)
        },
        Fault(
            "a background observer missed the last change",
            "the observer of g has s3 for a instead of nothing, s3 for d instead of nothing, g3 for e instead of nothing, 2#t2 for n instead of nothing, nothing for x instead of t4 in the end"
        ) {
            $0.observers["g"]?.changes.removeLast()
        },
        Fault(
            "a change of a background observer came twice",
            "change 1 of g has nothing as the old value of d, which was g1"
        ) {
            $0.observers["g"]?.changes.insert(change(["d": (nil, "g1")]), at: 0)
        },
    ]

    private static let ofReads = [
        Fault("a reader read the final state and then an older one", "read 6 of s went back before revision 14") {
            $0.reads["s"]?.append(read(["a": "s1", "b": "s1"], 19))
        },
        Fault("two reads are swapped", "read 3 of s went back before revision 12") { $0.reads["s"]?.swapAt(2, 4) },
        Fault("a value was read after a later state", "read 6 of s went back before revision 14") {
            $0.reads["s"]?.append(read(["a": "s3"], 19, isWhole: false))
        },
        Fault("a snapshot is torn", "read 1 of s returned what the cluster never had") {
            $0.reads["s"]?[1].values["b"] = .some(nil)
        },
        Fault("a value was read that nobody wrote", "read 3 of s returned what the cluster never had") {
            $0.reads["s"]?[3].values["a"] = "stray"
        },
        Fault(
            "a snapshot lacks a call of its store that had returned",
            "read 0 of s lacks s1, which had returned before"
        ) {
            $0.reads["s"] = [read([:], 20)]
        },
        Fault("a value lacks a call of its store that had returned", "read 0 of s lacks s2, which had returned before")
        {
            $0.reads["s"] = [read(["n": nil], 30, isWhole: false)].map { read in
                var read = read
                read.values.updateValue(nil, forKey: "x")
                read.values.updateValue(nil, forKey: "d")
                return read
            }
        },
        Fault(
            "a background reader went back to a value of another client",
            "read 3 of g goes back to 1#s2 for n, after revision 8"
        ) {
            $0.reads["g"]?.insert(read(["n": "1#s2"], 62, isWhole: false), at: 3)
        },
        Fault("a background reader read a value that nobody wrote", "read 0 of g has stray for a, which nobody wrote") {
            $0.reads["g"]?[0].values["a"] = "stray"
        },
    ]

    // MARK: Rules

    /// A store that shows states which come back: a = 1, 2, 1, 2, 3.
    private static func alternating(_ make: (inout History) -> Void) -> [String] {
        var history = History()
        for (number, text) in ["1", "2", "1", "2", "3"].enumerated() {
            history.truth.append(.init(number: Int64(number + 1), events: ["a": text]))
        }
        make(&history)
        return HistoryCheck(history).failures.filter { !$0.hasPrefix("no call wrote") }
    }

    @Test func `a read that fits several states takes the earliest that does not go back`() {
        func failures(_ texts: String...) -> [String] {
            Self.alternating { $0.reads["s"] = texts.map { Self.read(["a": $0], 0) } }
        }
        #expect(failures("1", "1", "2", "1", "1", "2", "3") == [])
        #expect(failures("2", "1", "2", "1") == ["read 3 of s went back before revision 4"])
        #expect(failures("2", "4") == ["read 1 of s returned what the cluster never had"])
    }

    @Test func `an observer that begins with a state that comes back may be at each of its revisions`() {
        func failures(_ texts: String..., from start: String, jumps: Int = 0) -> [String] {
            Self.alternating { history in
                let changes = zip([start] + texts, texts).map { Self.change(["a": ($0, $1)]) }
                history.observers["s"] = History.Observer(start: ["a": start], changes: changes, jumps: jumps)
            }
        }
        #expect(failures("2", "1", "2", "3", from: "1") == [])
        #expect(failures("2", "3", from: "1") == [])
        #expect(failures("3", from: "2") == [])
        #expect(failures("2", from: "1") == ["the observer of s never saw revision 5"])
        #expect(failures("3", from: "1", jumps: 1) == [])
        #expect(failures("3", from: "1") == ["change 0 of s skips states, after revision 3"])
    }

    // MARK: Parts

    private static func call(
        _ name: String,
        _ store: String,
        _ changes: [String: String?],
        removesAll: Bool = false,
        expected: [String: String?] = [:],
        _ began: Int,
        _ ended: Int,
        _ outcome: History.Outcome = .acknowledged
    ) -> History.Call {
        History.Call(
            name: name,
            store: store,
            changes: changes,
            removesAll: removesAll,
            expected: expected,
            began: began,
            ended: ended,
            outcome: outcome
        )
    }

    private static func change(_ values: [String: (old: String?, new: String?)]) -> History.Change {
        History.Change(values: values)
    }

    private static func read(_ values: [String: String?], _ began: Int, isWhole: Bool = true) -> History.Read {
        History.Read(values: values, isWhole: isWhole, began: began)
    }
}
