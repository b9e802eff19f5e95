// The context of the samples in documentation comments; it precedes the samples of each source file.
import Foundation
import Keyspan
import KeyspanConsole
import KeyspanTesting
import Testing

struct Color {
    var red, green, blue: Double
}

typealias MyStore = InMemoryStore
