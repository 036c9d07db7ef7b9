#!/usr/bin/env python3
"""Runs the built command: explain_test.py <softhccl>."""

import os
import subprocess
import sys
import unittest

COMMAND = sys.argv.pop(1)


def run(*arguments, **environment):
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG"))}
    result = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, check=False, env={**clean, **environment},
                            stdin=subprocess.DEVNULL, encoding="utf-8")
    return result.returncode, result.stdout, result.stderr


class Explain(unittest.TestCase):
    def assert_explains(self, question, *expected):
        code, out, err = run("explain", *question.split(" "))
        self.assertEqual((code, err), (0, ""), question)
        for text in expected:
            self.assertIn(text, out)
        return out

    def test_Id_PrintsCauseRemedyExampleAndNumbers(self):
        out = self.assert_explains("SH-W002", "SH-W002 deadlock: ranks wait for each other", "\nCause\n  Every thread",
                                   "\nWhat to do\n  Follow the cycle", "\nExample\n  deadlock:", "\nNumbers\n",
                                   "ACL_ERROR_RT_TASK_TIMEOUT 107020, HCCL_E_TIMEOUT 9, EI0002, HCCL-VM 102")
        self.assertEqual(run("explain", "sh-w002")[1], out)
        self.assertEqual(run("explain", "w002")[1], out)
        self.assertEqual(run("explain", "deadlock")[1], out)

    def test_Number_PrintsItsNameAndTheEntry(self):
        self.assert_explains("507018", "ACL_ERROR_RT_AICPU_EXCEPTION 507018\n\nSH-K001 kernel-failed")
        out = self.assert_explains("107020", "ACL_ERROR_RT_TASK_TIMEOUT 107020\n\nSH-W001", "May also be")
        self.assertEqual(run("explain", "ACL_ERROR_RT_TASK_TIMEOUT")[1], out)
        self.assert_explains("9", "HCCL_E_TIMEOUT 9\n", "SH-G001", "SH-G002", "SH-W002")
        self.assert_explains("11", "HCCL_E_TCP_CONNECT 11: this library never answers with it")
        self.assert_explains("0", "ACL_SUCCESS 0\n", "HCCL_SUCCESS 0\n")
        self.assert_explains("102", "SH-W002 deadlock")

    def test_VendorCode_FindsItsEntries(self):
        self.assert_explains("EI0015", "SH-G001 ranks-missing")
        self.assert_explains("ei0006", "SH-G002 one-sided-channel")

    def test_PastedLine_FindsTheId(self):
        self.assert_explains("HcclX: it was late [HCCL_E_TIMEOUT 9] (SH-G001)", "SH-G001 ranks-missing")

    def test_Language_FollowsLocaleAndOption(self):
        for environment in ({"LC_ALL": "zh_CN.UTF-8"}, {"LANG": "zh_CN"}, {"LC_MESSAGES": "zh_TW", "LANG": "en_US"}):
            self.assertIn("\n原因\n", run("explain", "SH-W001", **environment)[1])
        self.assertIn("\nCause\n", run("explain", "SH-W001", LC_ALL="C", LANG="zh_CN")[1])
        self.assertIn("\nCause\n", run("explain", "SH-W001", "--lang", "en", LC_ALL="zh_CN.UTF-8")[1])
        self.assertIn("等待超时", run("explain", "SH-W001", "--lang", "zh")[1])
        self.assertEqual(run("explain", "SH-W001", "--lang", "fr")[0], 2)

    def test_List_NamesEveryEntryOnce(self):
        code, out, err = run("explain", "--list")
        self.assertEqual((code, err), (0, ""))
        lines = out.splitlines()
        self.assertGreater(len(lines), 40)
        self.assertEqual(lines, sorted(set(lines)))
        self.assertIn("SH-G002 one-sided-channel: only one of the two ranks acquired the channel", lines)
        self.assertEqual(len(run("explain", "--list", "--lang", "zh")[1].splitlines()), len(lines))

    def test_UnknownQuestion_SuggestsAndFails(self):
        code, out, err = run("explain", "SH-W099")
        self.assertEqual((code, out), (2, ""))
        self.assertIn('nothing is known about "SH-W099"', err)
        self.assertIn("SH-W00", err)
        self.assertIn("wait-timeout", run("explain", "wait-timout")[2])
        self.assertIn("HCCL_E_TIMEOUT", run("explain", "HCCL_E_TIMEOU")[2])
        self.assertIn("没有关于", run("explain", "qqqqqqqqqqqq", "--lang", "zh")[2])
        for odd in ("", "99999999999999999999", "-1", "%s%n", "\\", "SH-"):
            with self.subTest(odd):
                code, _, err = run("explain", "--", odd)
                self.assertEqual(code, 2)
                self.assertNotEqual(err, "")


class CommandLine(unittest.TestCase):
    def test_Help_ListsTheSubcommands(self):
        code, out, err = run("--help")
        self.assertEqual((code, err), (0, ""))
        self.assertIn("explain", out)
        self.assertIn("--lang", run("explain", "--help")[1])

    def test_Version_IsPrinted(self):
        self.assertRegex(run("--version")[1], r"^softhccl \d+\.\d+\.\d+\n$")

    def test_WrongUse_IsExitCodeTwo(self):
        for arguments in ([], ["explain"], ["expplain"], ["--nothing"], ["explain", "--nothing"]):
            with self.subTest(arguments):
                code, _, err = run(*arguments)
                self.assertEqual(code, 2)
                self.assertNotEqual(err, "")


if __name__ == "__main__":
    unittest.main()
