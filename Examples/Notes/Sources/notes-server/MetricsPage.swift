import Metrics
import Synchronization

/// Metrics as a page in the text format of Prometheus.
///
/// A server of your own has a library for this.
final class MetricsPage: MetricsFactory {
    private let values = Mutex<[String: Double]>([:])

    /// A line for each metric, in the order of their names.
    var text: String {
        values.withLock { values in
            values.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }.joined()
        }
    }

    fileprivate func add(_ amount: Double, to name: String) {
        values.withLock { $0[name, default: 0] += amount }
    }

    fileprivate func set(_ name: String, to value: Double) {
        values.withLock { $0[name] = value }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        Metric(page: self, label: label, dimensions: dimensions)
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        Metric(page: self, label: label, dimensions: dimensions)
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        Metric(page: self, label: label, dimensions: dimensions)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        Metric(page: self, label: label, dimensions: dimensions)
    }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}

/// A metric of any kind: of recorders and timers the page has the number and the sum of their values.
private final class Metric: CounterHandler, MeterHandler, RecorderHandler, TimerHandler {
    private let page: MetricsPage
    private let name: String
    private let labels: String

    init(page: MetricsPage, label: String, dimensions: [(String, String)]) {
        self.page = page
        name = String(label.map { $0.isLetter || $0.isNumber ? $0 : "_" })
        let pairs = dimensions.map { "\($0.0)=\($0.1.debugDescription)" }
        labels = pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}"
    }

    func increment(by amount: Int64) { page.add(Double(amount), to: name + labels) }
    func increment(by amount: Double) { page.add(amount, to: name + labels) }
    func decrement(by amount: Double) { page.add(-amount, to: name + labels) }
    func reset() { page.set(name + labels, to: 0) }
    func set(_ value: Int64) { page.set(name + labels, to: Double(value)) }
    func set(_ value: Double) { page.set(name + labels, to: value) }
    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        page.add(1, to: name + "_count" + labels)
        page.add(value, to: name + "_sum" + labels)
    }

    func recordNanoseconds(_ duration: Int64) {
        page.add(1, to: name + "_seconds_count" + labels)
        page.add(Double(duration) / 1e9, to: name + "_seconds_sum" + labels)
    }
}
