import Testing

@Suite
struct EnumeratedChoicesTests {
    @Test
    func `enumerated choices go through all combinations, also where one outcome decides what there is to choose`() {
        var choices = EnumeratedChoices()
        var found: [[Int]] = []
        repeat {
            let first = choices.outcome(of: 3)
            found.append(first == 1 ? [first] : [first, choices.outcome(of: 2)])
        } while choices.advance()
        #expect(found == [[0, 0], [0, 1], [1], [2, 0], [2, 1]])
    }

    @Test func `enumerated choices are one combination if there is nothing to choose`() {
        var choices = EnumeratedChoices()
        let hasMore = choices.advance()
        #expect(!hasMore)
    }
}
