# The image of armdyn: built here, run as a fixed user without rights, on a read-only root file system, with one volume.
# No shell is needed at run time: the entry point, the health check and every command are the binary itself.
#
#   docker build -t armdyn .       (or: make image)
#   docker run --read-only -v armdyn:/data -v ./admin.key:/run/secrets/admin.key:ro -p 8080:8080 armdyn
#
# It listens on every address of the container, so it insists on an admin key (deploy/doc/install.md): without the file it says so and ends.
FROM debian:trixie-slim AS build
ARG NODE_EXTRA_CA_CERTS
WORKDIR /src
COPY deploy/deps deploy/dependencies.txt deploy/
# A base that was pulled long ago has old packages, which deploy/deps does not touch.
RUN apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get upgrade -q -y && deploy/deps build web
COPY . .
RUN make --silent -j"$(nproc)" install DESTDIR=/out PREFIX=/usr

FROM debian:trixie-slim
COPY deploy/deps deploy/dependencies.txt /tmp/deploy/
RUN apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get upgrade -q -y && /tmp/deploy/deps run && rm -rf /tmp/deploy /var/lib/apt/lists/* && install -d -o 10001 -g 10001 -m 700 /data
COPY --from=build /out/usr/bin/armdyn /usr/bin/armdyn
COPY --from=build /src/LICENSE /src/THIRD-PARTY.md /usr/share/doc/armdyn/
USER 10001:10001
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
ENV ARMDYN_LISTEN=0.0.0.0:8080 ARMDYN_DATA=/data ARMDYN_ADMIN_KEY_FILE=/run/secrets/admin.key
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 CMD ["armdyn", "healthcheck"]
ENTRYPOINT ["armdyn"]
CMD ["serve"]
