// A program whose whole life is its start.
print("", terminator: "")
