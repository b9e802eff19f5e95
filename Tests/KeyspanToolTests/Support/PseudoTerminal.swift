import Foundation

/// A terminal without a screen, to see what a program writes to a real one.
final class PseudoTerminal {
    /// The device that the program opens.
    let path: String
    private let controller: Int32
    // Kept open so that what was written stays to be read after the program has ended.
    private let device: Int32

    init() throws {
        controller = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        guard controller >= 0, let path = Self.devicePath(of: controller) else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        self.path = path
        device = open(path, O_RDWR | O_NOCTTY)
    }

    /// Unlocks the device of a terminal and names it.
    private static func devicePath(of controller: Int32) -> String? {
        #if os(Linux)
        // unlockpt(3) and ptsname(3), which Swift does not see on Linux, are these two requests: TIOCSPTLCK, TIOCGPTN.
        var (lock, number): (Int32, UInt32) = (0, 0)
        guard ioctl(controller, 0x4004_5431, &lock) == 0, ioctl(controller, 0x8004_5430, &number) == 0 else {
            return nil
        }
        return "/dev/pts/\(number)"
        #else
        guard grantpt(controller) == 0, unlockpt(controller) == 0, let name = ptsname(controller) else { return nil }
        return String(cString: name)
        #endif
    }

    deinit {
        close(device)
        close(controller)
    }

    /// The output of a program that has ended, with a terminal's line ends converted to line feeds.
    func text() -> String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(controller, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).replacingOccurrences(of: "\r\n", with: "\n")
    }
}
