# The server in an image, with its engines compiled, and a Valkey of its own; docs/operating.md says how to run it.
# Everything that is installed is known by its SHA-256. Name the base by its digest too, for an image that others run; any
# Debian will do that has `python` with its venv and headers.
ARG BASE=python:3.13-slim
FROM ${BASE} AS build
# Debian keeps one version of each package, so none can be named.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY .ci/locks .ci/locks
RUN python -m venv /opt/regicide \
    && /opt/regicide/bin/pip install --no-cache-dir --require-hashes --requirement .ci/locks/serve.txt \
    && python -m venv /opt/compiler \
    && /opt/compiler/bin/pip install --no-cache-dir --require-hashes --requirement .ci/locks/compile.txt
COPY pyproject.toml setup.py README.md LICENSE ./
COPY api api
COPY engines engines
COPY regicide_client regicide_client
COPY workers workers
RUN REGICIDE_COMPILE=yes /opt/compiler/bin/pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir /wheels . \
    && /opt/regicide/bin/pip install --no-cache-dir --no-deps --no-index --find-links /wheels regicide-server

FROM ${BASE}
COPY --from=build /opt/regicide /opt/regicide
RUN install --directory --owner=65534 --group=65534 --mode=0700 /data /archive
ENV HOST=0.0.0.0 PORT=8000 REGICIDE_DATA=/data PYTHONUNBUFFERED=1 HOME=/tmp
VOLUME /data
EXPOSE 8000
USER 65534:65534
WORKDIR /data
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["/opt/regicide/bin/python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["/opt/regicide/bin/regicide"]
CMD ["serve"]
