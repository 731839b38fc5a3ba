# SPDX-License-Identifier: Apache-2.0
"""The public interface of the package: documentation and types."""
import ast
import inspect
import pathlib
import unittest

import nanobind.stubgen
import numpy as np

import weft
import weft.frontends
from weft import _core


def _public(thing):
    return [(name, value) for name, value in vars(thing).items()
            if not name.startswith("_") and (callable(value) or isinstance(value, property))]


def _faces(tree):
    """Returns the names of classes, functions and parameters in a stub."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            found[node.name] = _faces(node)
        elif isinstance(node, ast.FunctionDef):
            setter = any(isinstance(one, ast.Attribute) for one in node.decorator_list)
            if not setter and (not node.name.startswith("_") or node.name == "__init__"):
                names = [argument.arg for argument in node.args.args]
                plain = any(isinstance(one, ast.Name) for one in node.decorator_list)
                found[node.name] = "property" if plain else names
        elif isinstance(node, ast.AnnAssign):
            found[node.target.id] = "property"
    return found


class Package(unittest.TestCase):
    def test_documents_all_it_shows(self):
        for name, thing in [(name, getattr(module, name)) for module in (weft, weft.frontends)
                            for name in module.__all__]:
            self.assertTrue(thing.__doc__, name)
            if inspect.isclass(thing):
                for member, _ in _public(thing):  # or that of the method it overrides
                    self.assertTrue(inspect.getdoc(getattr(thing, member)), f"{name}.{member}")

    def test_documents_all_parameters(self):
        for call in (weft.convert, weft.bench, weft.compare, weft.compose):
            for name in list(inspect.signature(call).parameters):
                if name not in ("model", "reference") or call is weft.convert:
                    self.assertRegex(call.__doc__, rf"\b{name}\b.*:", f"{call.__name__}: {name}")

    def test_is_typed(self):
        folder = pathlib.Path(weft.__file__).parent
        self.assertTrue((folder / "py.typed").is_file())
        for name in weft.__all__:
            thing = getattr(weft, name)
            if inspect.isfunction(thing):
                for parameter in inspect.signature(thing).parameters.values():
                    self.assertIsNot(parameter.annotation, inspect.Parameter.empty, name)

    def test_stub_is_that_of_the_module(self):
        made = nanobind.stubgen.StubGen(_core)
        made.put(_core)
        must = _faces(ast.parse(made.get()))
        stub = pathlib.Path(weft.__file__).with_name("_core.pyi")
        found = _faces(ast.parse(stub.read_text()))
        self.assertEqual(sorted(found), sorted(must))
        for name in ("Options", "Stream", "convert", "convert_file", "run_command"):
            self.assertEqual(found[name], must[name])

    def test_shows_models_and_ports(self):
        port = weft.Port("x", ("x",), "f32", (1, 2), None)
        self.assertIn("shape=(1, 2)", repr(port))
        self.assertEqual(np.prod(port.shape), 2)


if __name__ == "__main__":
    unittest.main()
