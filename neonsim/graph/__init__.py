"""Networks: graphs of operators, the arena they run in, MobileNet and others, and the three ways to run them.

    graph = mobilenet_v2()                          # seeded random weights; the sizes are those of the paper
    plan = graph.plan(backend="native")             # packed once
    y = plan.run(random_input(graph), threads=2)

    graph      Graph, Node, Tensor     tensors and the operators between them
    moves      Concat, Split, Reshape  nodes without arithmetic
    planner    place, Arena            where tensors lie
    execute    plan                    reference, emulated, native
    bound      Bound                   a native plan between arrays of the caller's: plan.bind(x, y)
    models     mobilenet_v1, ...       networks by name
"""

from __future__ import annotations

from neonsim.graph.bound import Bound, Costs
from neonsim.graph.execute import OperatorPlan, Runnable, plan, random_input, random_inputs
from neonsim.graph.graph import Graph, Node, Tensor
from neonsim.graph.models import MODELS, mobilenet_v1, mobilenet_v2, model, resnet18, shufflenet_v1, squeezenet
from neonsim.graph.moves import Concat, Move, Reshape, Split
from neonsim.graph.planner import Arena, Slot, place

__all__ = ["MODELS", "Arena", "Bound", "Concat", "Costs", "Graph", "Move", "Node", "OperatorPlan", "Reshape",
           "Runnable", "Slot", "Split", "Tensor", "mobilenet_v1", "mobilenet_v2", "model", "place", "plan",
           "random_input", "random_inputs", "resnet18", "shufflenet_v1", "squeezenet"]
