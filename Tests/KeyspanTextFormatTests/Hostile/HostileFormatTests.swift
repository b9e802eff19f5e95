@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// The work of reading, writing and locating grows with the size of a document, whatever is in it.
@Suite(.heavy, .serialized) struct HostileFormatTests {
    /// The size of the larger document, in units of the smaller one.
    private static let factor = 4
    /// The greatest growth of the work, between that in proportion to the size, with some more for sorting and larger tables, and that with
    /// the square of the size, which is sixteen.
    private static let limit = 8.0

    @Test(arguments: HostileText.all)
    func `reading, writing and locating take time in proportion to the text`(_ text: HostileText) throws {
        let folder = try TemporaryFolder()
        for (step, works) in try text.steps(in: folder, sizes: [text.size, Self.factor * text.size]) {
            let ratio = try Growth.ratio(enough: Self.limit, small: works[0], large: works[1])
            #expect(
                ratio <= Self.limit,
                "\(step) a text of \(Self.factor) times the size takes \(ratio) times the work"
            )
        }
    }

    @Test(arguments: HostileText.all)
    func `finding one value takes little more than reading the text`(_ text: HostileText) throws {
        guard let (reading, finding) = try text.search() else { return }
        let ratio = try Growth.ratio(enough: 2, small: reading, large: finding)
        #expect(ratio <= 2, "finding a value takes \(ratio) times the work of reading")
    }
}
