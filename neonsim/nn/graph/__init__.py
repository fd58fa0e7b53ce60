"""Networks: graphs of operators, the arena they run in, MobileNet and others, and the three ways to run them.

    graph = mobilenet_v2()                          # seeded random weights; the sizes are those of the paper
    plan = graph.plan(backend="native")             # packed once
    y = plan.run(random_input(graph), threads=2)

    graph      Graph, Node, Tensor     tensors and the operators between them
    moves      Concat, Split, Reshape  nodes without arithmetic
    picks      sliced, transposed ...  more of them, one layer for all
    planner    place, Arena            where tensors lie
    execute    plan                    reference, emulated, native
    strategy   settle, Strategy        which way each product goes: plan("native", strategy="mnn")
    bound      Bound                   a native plan between arrays of the caller's: plan.bind(x, y)
    passes     simplify, diff          graphs of floats made simpler
    quantising quantize                from floats to integers, a flow for each library
    models     mobilenet_v1, ...       networks by name
"""

from __future__ import annotations

from neonsim.common.argument_types import check_arguments
from neonsim.nn.graph.data_movement import Concat, Constant, DataMovement, Reshape, Split
from neonsim.nn.graph.gather import GatherIndices
from neonsim.nn.graph.graph import Graph, Node, Tensor
from neonsim.nn.graph.memory.planner import Arena, Slot, place
from neonsim.nn.graph.models import MODELS, mobilenet_v1, mobilenet_v2, model, resnet18, shufflenet_v1, squeezenet
from neonsim.nn.graph.passes import simplify
from neonsim.nn.graph.plan.bound import BoundPlan, CallOverhead
from neonsim.nn.graph.plan.run import OperatorPlan, Runnable, plan, random_input, random_inputs
from neonsim.nn.graph.quantize.quantize import FLOWS, quantize
from neonsim.nn.graph.quantize.recipes import Flow
from neonsim.nn.graph.select.strategy import Strategy, choose_algorithms

__all__ = [
           "FLOWS",
           "MODELS",
           "Arena",
           "BoundPlan",
           "CallOverhead",
           "Concat",
           "Constant",
           "DataMovement",
           "Flow",
           "GatherIndices",
           "Graph",
           "Node",
           "OperatorPlan",
           "Reshape",
           "Runnable",
           "Slot",
           "Split",
           "Strategy",
           "Tensor",
           "choose_algorithms",
           "mobilenet_v1",
           "mobilenet_v2",
           "model",
           "place",
           "plan",
           "quantize",
           "random_input",
           "random_inputs",
           "resnet18",
           "shufflenet_v1",
           "simplify",
           "squeezenet",
]

check_arguments(globals(), "Graph", "OperatorPlan")
