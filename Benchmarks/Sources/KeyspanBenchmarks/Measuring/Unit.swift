/// The unit of the figures of a workload.
enum Unit {
    case nanoseconds
    case bytes
}
