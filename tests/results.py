#!/usr/bin/python3
"""results.py junit|sarif FILE: a result of fmc check, a fact a line, after a look at whether the file is what its standard asks for: of
JUnit the elements and attributes that readers of it have in common, of SARIF what the 2.1.0 schema requires of what is there."""
import json
import sys
import urllib.parse
import xml.etree.ElementTree


def junit(path):
    root = xml.etree.ElementTree.parse(path).getroot()
    assert root.tag == "testsuites" and [suite.tag for suite in root] == ["testsuite"]
    suite = root[0]
    cases = suite.findall("testcase")
    for counted, tag in ("failures", "failure"), ("errors", "error"), ("skipped", "skipped"):
        assert int(suite.get(counted)) == sum(case.find(tag) is not None for case in cases), counted
    assert int(suite.get("tests")) == len(cases) and float(suite.get("time")) >= 0
    order = ["properties"] + ["testcase"] * len(cases) + ["system-out"] * (suite.find("system-out") is not None)
    assert [part.tag for part in suite] == order, [part.tag for part in suite]
    print("suite", suite.get("name"))
    for part in suite.find("properties"):
        print("property", part.attrib["name"], "=", part.attrib["value"])
    for case in cases:
        assert case.get("classname") and float(case.get("time")) >= 0
        print("case", case.attrib["name"], "in", case.get("file"), "line", case.get("line"))
        for part in case:
            if part.tag == "system-out":
                print("output", part.text)
            else:
                print(part.tag, part.attrib["type"], "|", part.attrib["message"].replace("\n", "\\n"))
                print("text", (part.text or "").splitlines()[:1])
    print("output", (suite.findtext("system-out") or "").splitlines()[:1])


def location(run, place):
    """A location as FILE:LINE."""
    physical = place.get("physicalLocation")
    if not physical:
        return None
    artifact = physical["artifactLocation"]
    base = run["originalUriBaseIds"][artifact["uriBaseId"]]["uri"] if "uriBaseId" in artifact else ""
    assert base == "" or base.endswith("/")
    parts = urllib.parse.urlsplit(base + artifact["uri"])
    assert parts.scheme == "file" and not parts.query and not parts.fragment
    line = physical.get("region", {}).get("startLine")
    assert line is None or line >= 1
    return "%s:%s" % (urllib.parse.unquote(parts.path), line)


def sarif(path):
    with open(path, encoding="utf-8") as file:
        log = json.load(file)
    assert log["version"] == "2.1.0" and log["$schema"].endswith("sarif-2.1.0.json") and len(log["runs"]) == 1
    run = log["runs"][0]
    driver = run["tool"]["driver"]
    rules = [rule["id"] for rule in driver["rules"]]
    assert driver["name"] == "fmc" and len(set(rules)) == len(rules)
    assert all(rule["shortDescription"]["text"] for rule in driver["rules"])
    invocation = run["invocations"][0]
    print("successful", invocation["executionSuccessful"], "exit", invocation["exitCode"], "of", invocation["commandLine"])
    for note in invocation["toolExecutionNotifications"]:
        assert note["level"] in ("note", "error")
        print("note", note["message"]["text"].splitlines()[0])
    for name, value in run.get("properties", {}).items():
        print("property", name, "=", value)
    for result in run["results"]:
        assert result["ruleId"] in rules and result["kind"] == "fail" and len(result["locations"]) == 1
        print(result["level"], result["ruleId"], "|", result["message"]["text"])
        print("at", location(run, result["locations"][0]))
        for stack in result["stacks"]:
            assert stack["message"]["text"] and all("location" in frame for frame in stack["frames"])
            found = [location(run, frame["location"]) for frame in stack["frames"]]
            print("stack", stack["message"]["text"], "|", [place for place in found if place])
        for flow in result.get("codeFlows", []):
            for thread in flow["threadFlows"]:
                steps = [(step["executionOrder"], step["location"]["message"]["text"]) for step in thread["locations"]]
                assert steps and steps == sorted(steps) and all(location(run, step["location"]) for step in thread["locations"])
                print("flow", thread["id"], steps)
        for attached in result.get("attachments", []):
            print("schedule", location(run, {"physicalLocation": attached}))
        if result["level"] == "error":
            assert result["partialFingerprints"]["fmcSignature/v1"]
            print("counted", result["properties"]["count"], "schedule", result["properties"]["schedule"])


{"junit": junit, "sarif": sarif}[sys.argv[1]](sys.argv[2])
