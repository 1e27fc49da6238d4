# docker build -t restheart .
#
# Both stages can stand on other images: any with a JDK 25 and Maven, and any with bash and a JRE 25.
ARG BUILD_BASE=maven:3-eclipse-temurin-25
ARG BASE=eclipse-temurin:25-jre

FROM ${BUILD_BASE} AS build
WORKDIR /build
COPY . .
RUN --mount=type=cache,target=/root/.m2 \
    mvn -q -B -Pfast -Dmaven.test.skip=true -pl core -am package

FROM ${BASE}
WORKDIR /opt/restheart
COPY --from=build /build/core/target/restheart.jar restheart.jar
COPY etc/jvm.options LICENSE ./
COPY etc/aot-cache.sh /tmp/
# Starts in half the time. No MongoDB answers here, but the driver gets loaded.
RUN mkdir plugins \
    && bash /tmp/aot-cache.sh java jvm.options restheart.jar restheart.aot \
        --mongo 'mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=50' \
    && rm -rf /tmp/*

USER 1000:1000
# -e RHO=… replaces these overrides completely; -e RHO= makes mounted files count.
ENV RHO='/mclient/connection-string->"mongodb://host.docker.internal";/http-listener/host->"0.0.0.0"'
EXPOSE 8009 8080 4443
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["bash", "-c", \
    "exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET /ping HTTP/1.0\\r\\n\\r\\n' >&3 && head -n 1 <&3 | grep -q ' 200 '"]

# Memory in percent of the container's. Arguments of the container are arguments of the gateway; JAVA_TOOL_OPTIONS adds
# options of the JVM.
ENTRYPOINT ["java", "@jvm.options", "-XX:MaxRAMPercentage=70", "-XX:InitialRAMPercentage=60", \
    "-XX:AOTCache=restheart.aot", "-jar", "restheart.jar"]
