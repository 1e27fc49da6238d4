# docker build -t restheart .
#
# The stages can stand on other images: BUILD_BASE on any with a JDK 25 and Maven, DEBIAN on any Debian with apt.
ARG BUILD_BASE=maven:3.10.0-eclipse-temurin-25@sha256:721fefa7187746ff892b2a178eb4cac3292f89a80f76ef25c04da655f88619b8
ARG DEBIAN=debian:trixie-slim@sha256:d7e12182ce18b85b93007c1dedf31f2d29e01ccf3182cc4017c709b6259bc132

FROM ${BUILD_BASE} AS build
WORKDIR /build
COPY . .
RUN --mount=type=cache,target=/root/.m2 \
    mvn -q -B -Pfast -Dmaven.test.skip=true -pl core,webhooks -am package
# A run time of the modules that the server uses.
RUN bash etc/java-runtime.sh core/target/restheart.jar /opt/java
# What that has loaded and linked, for starts in half the time. No MongoDB answers here, but the driver gets loaded. The
# JVM refuses it if the jar's time differs, and layers of images round times to whole seconds.
WORKDIR /opt/restheart
RUN cp /build/core/target/restheart.jar /build/etc/jvm.options /build/etc/health.sh /build/LICENSE . \
    && mkdir plugins-available && cp /build/webhooks/target/restheart-webhooks-*.jar plugins-available/ \
    && touch -d "@$(date +%s)" restheart.jar \
    && bash /build/etc/aot-cache.sh /opt/java/bin/java jvm.options restheart.jar restheart.aot \
        --mongo 'mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=50'

# What a JVM and the health check need of an operating system: the C library and bash. No package manager.
FROM ${DEBIAN} AS system
COPY etc/minimal-system.sh /tmp/
RUN bash /tmp/minimal-system.sh /system

FROM scratch
# What is known where it is built: etc/image.sh and the workflow of releases say it.
ARG VERSION=unknown
ARG REVISION=unknown
ARG CREATED=1970-01-01T00:00:00Z
ARG SOURCE=
LABEL org.opencontainers.image.title="RESTHeart" \
    org.opencontainers.image.description="A REST gateway for MongoDB" \
    org.opencontainers.image.licenses="Apache-2.0" \
    org.opencontainers.image.version="${VERSION}" \
    org.opencontainers.image.revision="${REVISION}" \
    org.opencontainers.image.created="${CREATED}" \
    org.opencontainers.image.source="${SOURCE}" \
    org.opencontainers.image.documentation="${SOURCE}"
COPY --from=system /system /
COPY --from=build /opt/java /opt/java
COPY --from=build /opt/restheart /opt/restheart
WORKDIR /opt/restheart
ENV PATH=/opt/java/bin:/usr/bin:/bin LANG=C.UTF-8

USER 1000:1000
# -e RHO=… replaces these overrides completely; -e RHO= makes mounted files count.
ENV RHO='/mclient/connection-string->"mongodb://host.docker.internal";/http-listener/host->"0.0.0.0";/core/warm-up-seconds->5'
EXPOSE 8080 4443
# Docker's own format has this; images in OCI's format lose it. The file is there in both, for whatever asks:
# docker-compose.yml, and others by exec. Kubernetes asks by HTTP.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["/usr/bin/bash", "/opt/restheart/health.sh"]

# Memory in percent of the container's. Arguments of the container are arguments of the gateway; JAVA_TOOL_OPTIONS adds
# options of the JVM.
ENTRYPOINT ["/opt/java/bin/java", "@jvm.options", "-XX:MaxRAMPercentage=70", "-XX:InitialRAMPercentage=60", \
    "-XX:AOTCache=restheart.aot", "-jar", "restheart.jar"]
