# SPDX-License-Identifier: Apache-2.0
# docker build -t wirecost .  builds it; docker run --rm --shm-size=2g wirecost  does `make run`.
# docker run --rm --shm-size=2g wirecost make test  tests. 2g: messages in shared memory need more than Docker's 64 MB.
# Hardware counters need --cap-add=PERFMON and a host that has them; without them the tables say n/a.
FROM debian:12
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates make
ENV LANG=C.UTF-8
WORKDIR /wirecost
COPY . .
RUN make install
CMD ["make", "run"]
