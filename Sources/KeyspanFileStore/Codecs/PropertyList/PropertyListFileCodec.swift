package import KeyspanCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The formats of ``PropertyListData`` as a file format.
///
/// A codec belongs to one file. Without a chosen format it takes the format of the file on the first read, or the binary format if a
/// write comes before there is a file, and keeps it from then on.
package final class PropertyListFileCodec: FileCodec {
    /// The format that the user has chosen, if any.
    private let chosen: PropertyListFormat?
    /// 0 for an undecided format, or one more than the format's index in `allCases`.
    private let decided: Atomic<Int>

    /// Makes a codec that writes a format; `nil` for the format of the file.
    package init(_ format: PropertyListFormat?) {
        chosen = format
        decided = Atomic(format.map(Self.code) ?? 0)
    }

    package var name: String { chosen.map { "\($0) property list" } ?? "property list" }

    package var valueForm: Defaults.ValueForm { .jsonText }

    package func decode(_ bytes: [UInt8]) throws(FileFormatError) -> PropertyListTable {
        let table: PropertyListTable
        do {
            table = try PropertyListData.parseTable(bytes)
        } catch {
            throw FileFormatError(error)
        }
        let found = PropertyListData.format(of: bytes)
        let format = decide(found)
        return try format == found ? table : converted(table, to: format)
    }

    package func places(
        of paths: [ValuePath],
        in table: PropertyListTable,
        _ bytes: [UInt8]
    ) throws(FileFormatError) -> [LineAndColumn?]? {
        do {
            return try PropertyListData.places(of: paths, in: table, bytes)
        } catch {
            throw FileFormatError(error)
        }
    }

    package func encode(_ table: PropertyListTable, upTo limit: Int) throws(FileFormatError) -> EncodedFile? {
        let format = decide(.binary)
        do {
            let bytes = try PropertyListData.encodeUnchecked(table, as: format, upTo: limit)
            return bytes.count > limit ? nil : EncodedFile(bytes: bytes, table: table)
        } catch {
            throw FileFormatError(unwritable: error, in: format)
        }
    }

    package var isExact: Bool { decide(.binary) == .binary }

    package func written(_ value: PropertyListValue, forKey key: String) throws(FileFormatError) -> PropertyListValue {
        let format = decide(.binary)
        guard format == .xml else { return value }
        do {
            try XMLRestrictions.check(value, forKey: key)
        } catch {
            throw FileFormatError(unwritable: error, in: format)
        }
        return XMLRestrictions.written(value) ?? value
    }

    /// The table that a file in this codec's format will contain, given the table of a file in another format.
    private func converted(
        _ table: PropertyListTable,
        to format: PropertyListFormat
    ) throws(FileFormatError) -> PropertyListTable {
        guard format == .xml else { return table }
        var converted = table
        for (key, value) in table {
            let written = try written(value, forKey: key)
            if written != value { converted[key] = written }
        }
        return converted
    }

    /// The decided format; decides on the given one if none was decided before.
    private func decide(_ format: PropertyListFormat) -> PropertyListFormat {
        let code = Self.code(format)
        let result = decided.compareExchange(expected: 0, desired: code, ordering: .acquiringAndReleasing)
        return PropertyListFormat.allCases[(result.exchanged ? code : result.original) - 1]
    }

    private static func code(_ format: PropertyListFormat) -> Int {
        switch format {
        case .xml: 1
        case .binary: 2
        }
    }
}

extension FileFormatError {
    fileprivate init(_ error: PropertyListDataError) {
        self.init(reason: "\(error.reason) (\(error.place))", remedy: error.remedy, underlying: error)
    }

    fileprivate init(unwritable error: ValueEncodingError, in format: PropertyListFormat) {
        let place = error.path.steps.isEmpty ? "" : " (at \(error.path))"
        self.init(
            reason: "\(error.reason)\(place)",
            remedy: "store it in another form, or keep the file in the binary format",
            underlying: error
        )
    }
}
