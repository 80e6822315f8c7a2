#!/usr/bin/env bash
# libmicrohttpd's MHD_create_post_processor (Debian's libmicrohttpd-dev, 0.9.75) reads multipart forms. It finds a field's name only where
# it stands in quotes. Of `Content-Disposition: form-data; name=q`, which RFC 7578 allows, the program learns the value without a name, and
# of no error. A file name given as `filename*` (RFC 8187) is not read either. Werkzeug 3.1.3 of PyPI, of Flask, reads both.
#
# Seen on 30 November 2026. It needs gcc and libmicrohttpd-dev; about 1 MB is fetched.
set -euo pipefail
unset CDPATH  # by which cd may go elsewhere
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check werkzeug==3.1.3
cd "$folder"
cat > server.c <<'C'
#include <microhttpd.h>
#include <stdio.h>
#include <string.h>

static enum MHD_Result field(void *cls, enum MHD_ValueKind kind, const char *key, const char *file, const char *type,
                             const char *encoding, const char *data, uint64_t offset, size_t size) {
  printf("name=%s file=%s value=%.*s\n", key ? key : "(none)", file ? file : "(none)", (int)size, data);
  return MHD_YES;
}

static enum MHD_Result answer(void *cls, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
                              const char *data, size_t *size, void **context) {
  if (!*context) {
    *context = MHD_create_post_processor(connection, 4096, field, NULL);
    return *context ? MHD_YES : MHD_NO;
  }
  if (*size) {
    printf("read: %s\n", MHD_post_process(*context, data, *size) == MHD_YES ? "yes" : "no");
    *size = 0;
    return MHD_YES;
  }
  printf("whole: %s\n", MHD_destroy_post_processor(*context) == MHD_YES ? "yes" : "no");
  fflush(stdout);
  struct MHD_Response *response = MHD_create_response_from_buffer(2, "ok", MHD_RESPMEM_PERSISTENT);
  const enum MHD_Result result = MHD_queue_response(connection, 200, response);
  MHD_destroy_response(response);
  return result;
}

int main(void) {
  struct MHD_Daemon *daemon = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, answer, NULL, MHD_OPTION_END);
  if (!daemon) return 1;
  printf("%u %s\n", MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port, MHD_get_version());
  fflush(stdout);
  getchar();
  MHD_stop_daemon(daemon);
  return 0;
}
C
gcc -o server server.c -lmicrohttpd
cat > ask.py <<'PY'
import http.client
import importlib.metadata
import io
import subprocess
import sys

from werkzeug.formparser import parse_form_data

server = subprocess.Popen(["./server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
port, version = server.stdout.readline().split()
print("libmicrohttpd", version, "Werkzeug", importlib.metadata.version("werkzeug"))
KIND = "multipart/form-data; boundary=xyz"
found = {}
for parameters in ('name="q"', "name=q", "name=\"q\"; filename*=utf-8''x.txt"):
    body = f"--xyz\r\nContent-Disposition: form-data; {parameters}\r\n\r\nHaus\r\n--xyz--\r\n".encode()
    connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=20)
    connection.request("POST", "/", body, {"Content-Type": KIND})
    connection.getresponse().read()
    lines = []
    while not lines or not lines[-1].startswith("whole"):
        lines.append(server.stdout.readline().strip())
    environment = {"REQUEST_METHOD": "POST", "CONTENT_TYPE": KIND, "CONTENT_LENGTH": str(len(body)), "wsgi.input": io.BytesIO(body)}
    _, form, files = parse_form_data(environment)
    names = [*form, *((name, file.filename) for name, file in files.items())]
    found[parameters] = ([line for line in lines if line.startswith("name")], names)
    print(parameters, "| libmicrohttpd:", *lines, "| Werkzeug:", names)
server.communicate("\n")
values = list(found.values())
good = (values[0] == (["name=q file=(none) value=Haus"], ["q"]) and not any("name=q" in line for line in values[1][0])
        and values[1][1] == ["q"] and not any("x.txt" in line for line in values[2][0]) and values[2][1] == [("q", "x.txt")])
print("as described" if good else "changed")
sys.exit(not good)
PY
"$folder/venv/bin/python" ask.py
