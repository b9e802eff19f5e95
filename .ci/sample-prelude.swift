// What the samples in the documentation comments take for granted; it stands before the samples of each source file.
import Foundation
import Keyspan
import KeyspanTesting
import Testing

struct Color {
    var red, green, blue: Double
}

typealias MyStore = InMemoryStore
