"""Convex sets of dual variables: one set, one file, one interface."""

from pragam.polytopes.base import Polytope, Repair
from pragam.polytopes.box import Box
from pragam.polytopes.box_plane import BoxPlane
from pragam.polytopes.box_plane_projection import project_box_plane
from pragam.polytopes.label_box import LabelBox
from pragam.polytopes.pairs import Pairs
from pragam.polytopes.simplex_projection import project_simplex
from pragam.polytopes.simplices import Simplex, Simplices

__all__ = [
    "Box",
    "BoxPlane",
    "LabelBox",
    "Pairs",
    "Polytope",
    "Repair",
    "Simplex",
    "Simplices",
    "project_box_plane",
    "project_simplex",
]
