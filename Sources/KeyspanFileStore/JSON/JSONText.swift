public import KeyspanCore

/// JSON text (RFC 8259) as a form of property-list values.
public enum JSONText {}
