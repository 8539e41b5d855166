"""What a tensor and its graph are. The rooms below import downward in this order.

runtime, types, arguments, memory, random, graph, tensor, recording, backward, values.
"""
