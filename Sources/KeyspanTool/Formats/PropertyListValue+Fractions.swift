import Keyspan

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PropertyListValue {
    /// Where this value has dates that are not whole seconds, in the order in which they are written.
    func datesWithFraction(under path: [ValuePath.Step] = []) -> [ValuePath] {
        switch self {
        case .boolean, .integer, .real, .string, .data: []
        case .date(let date):
            date.timeIntervalSinceReferenceDate.rounded(.down) == date.timeIntervalSinceReferenceDate
                ? [] : [ValuePath(path)]
        case .array(let elements):
            elements.enumerated().flatMap { $1.datesWithFraction(under: path + [.index($0)]) }
        case .dictionary(let entries):
            entries.sortedByName().flatMap { $1.datesWithFraction(under: path + [.name($0)]) }
        }
    }
}
