#!/usr/bin/env python3
"""Proves that the layout check can fail.

A generator that forgets a kind of fact would pass for ever. So each kind is falsified once, one fact at a time, and the
compiler has to refuse the file and to name exactly that fact. The unchanged inventory has to compile.

Environment: CXX compiler, INCLUDE_DIR directory of the public headers.
"""

import copy
import os
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import generate  # noqa: E402  (beside this file, not installed)


def compile_errors(inventory):
    command = [os.environ["CXX"], "-std=c++14", "-D_GLIBCXX_USE_CXX11_ABI=0", "-fsyntax-only", "-x", "c++",
               "-I", os.environ["INCLUDE_DIR"], "-"]
    result = subprocess.run(command, input=generate.generate(inventory), capture_output=True, text=True, check=False,
                            env={**os.environ, "LC_ALL": "C"})
    return [line for line in result.stderr.splitlines() if "error:" in line], result.returncode


class LayoutCheck(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.inventory = generate.load()

    def setUp(self):
        self.wrong = copy.deepcopy(self.inventory)

    def assert_refused(self, message):
        errors, code = compile_errors(self.wrong)
        self.assertNotEqual(code, 0, f"compiled although false: {message}")
        self.assertEqual(len(errors), 1, errors)
        self.assertIn(message, errors[0])

    def test_TrueInventory_Compiles(self):
        errors, code = compile_errors(self.inventory)
        self.assertEqual((errors, code), ([], 0))

    def test_WrongParameter_IsRefused(self):
        function = next(f for f in self.wrong["functions"] if f["name"] == "aclrtMalloc")
        function["parameters"][1] = "uint32_t"
        self.assert_refused("aclrtMalloc: signature is not aclError (*)(void**, uint32_t, aclrtMemMallocPolicy)")

    def test_WrongReturn_IsRefused(self):
        function = next(f for f in self.wrong["functions"] if f["name"] == "HcommReadOnThread")
        function["returns"] = "HcclResult"
        self.assert_refused("HcommReadOnThread: signature is not HcclResult")

    def test_WrongEnumerator_IsRefused(self):
        self.wrong["enums"]["CommProtocol"]["values"]["COMM_PROTOCOL_UB_CTP"] = 5
        self.assert_refused("COMM_PROTOCOL_UB_CTP: value is not 5")

    def test_WrongEnumSign_IsRefused(self):
        self.wrong["enums"]["HcclResult"]["signed"] = True
        self.assert_refused("HcclResult: underlying type is not int")

    def test_WrongSize_IsRefused(self):
        self.wrong["structs"]["HcclCommConfig"]["size"] = 2240
        self.assert_refused("HcclCommConfig: size is not 2240")

    def test_WrongAlignment_IsRefused(self):
        self.wrong["structs"]["EndpointDesc"]["align"] = 8
        self.assert_refused("EndpointDesc: alignment is not 8")

    def test_WrongOffsetInNestedUnion_IsRefused(self):
        fields = self.wrong["structs"]["HcclChannelDesc"]["fields"]
        next(f for f in fields if f[0] == "roceAttr.tc")[1] = 380
        self.assert_refused("HcclChannelDesc.roceAttr.tc: offset is not 380")

    def test_WrongFieldSize_IsRefused(self):
        fields = self.wrong["structs"]["HcclRootInfo"]["fields"]
        fields[0][2] = 4096
        self.assert_refused("HcclRootInfo.internal: size is not 4096")

    def test_WrongConstant_IsRefused(self):
        self.wrong["constants"]["acl/error_codes/rt_error_codes.h"]["ACL_ERROR_RT_MEMORY_ALLOCATION"] = 207002
        self.assert_refused("ACL_ERROR_RT_MEMORY_ALLOCATION: value is not 207002")


if __name__ == "__main__":
    unittest.main()
