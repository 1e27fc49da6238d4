package org.restheart.core;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.Cache;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaParameterizedType;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.undertow.server.HttpServerExchange;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.restheart.bson.JsonParser;
import org.restheart.bson.RawDocuments;
import org.restheart.http.Body;
import org.restheart.http.Content;
import org.restheart.http.TimeSlices;
import org.restheart.text.Words;

/// The dependencies between packages that Maven's modules do not enforce; see docs/architecture.md.
class ArchitectureTest {
    private static JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("org.restheart");

    /// Else each full collection of garbage in the tests after these takes three times as long.
    @AfterAll
    static void forget() {
        CLASSES = null;
    }

    private static final Pattern DOCUMENTS = Pattern.compile(
            "find.*|aggregate|.*[cC]ount(Documents|)|distinct|insert.*|update.*|replace.*|delete.*|bulkWrite|watch"
                    + "|runCommand|drop|mapReduce");

    @Test
    void only_the_server_package_knows_undertow() {
        noClasses()
                .that()
                .resideOutsideOfPackage("org.restheart.core.server")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.undertow..", "org.xnio..")
                .check(CLASSES);
    }

    @Test
    void modules_depend_in_one_direction() {
        classes()
                .that()
                .resideInAPackage("org.restheart.data..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("org.restheart.data..", "org.bson..", "org.jspecify..", "java..")
                .check(CLASSES);
        classes()
                .that()
                .resideInAnyPackage("org.restheart.bson..", "org.restheart.text..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "org.restheart.bson..", "org.restheart.text..", "org.bson..", "org.jspecify..", "java..")
                .check(CLASSES);
        noClasses()
                .that()
                .resideInAPackage("org.restheart.http..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "org.restheart.core..",
                        "org.restheart.security..",
                        "org.restheart.mongo..",
                        "org.restheart.rest..",
                        "org.restheart.embedded..",
                        "com.mongodb.client..")
                .check(CLASSES);
        noClassesOf(
                "org.restheart.security..",
                "org.restheart.core..",
                "org.restheart.mongo..",
                "org.restheart.rest..",
                "org.restheart.embedded..");
        noClassesOf(
                "org.restheart.plugin..",
                "org.restheart.core..",
                "org.restheart.mongo..",
                "org.restheart.rest..",
                "org.restheart.embedded..",
                "org.restheart.graphql..");
        noClassesOf(
                "org.restheart.mongo..",
                "org.restheart.core..",
                "org.restheart.security..",
                "org.restheart.embedded..",
                "org.restheart.graphql..",
                "org.restheart.rest..");
        noClassesOf(
                "org.restheart.rest..",
                "org.restheart.core..",
                "org.restheart.security..",
                "org.restheart.embedded..",
                "org.restheart.graphql..");
        noClassesOf(
                "org.restheart.graphql..",
                "org.restheart.core..",
                "org.restheart.security..",
                "org.restheart.embedded..",
                "com.mongodb.client..");
        noClassesOf(
                "org.restheart.openapi..",
                "org.restheart.core..",
                "org.restheart.security..",
                "org.restheart.embedded..",
                "org.restheart.graphql..",
                "com.mongodb.client..");
        noClassesOf(
                "org.restheart.embedded..",
                "org.restheart.core..",
                "org.restheart.security..",
                "org.restheart.mongo..",
                "org.restheart.rest..");
        // They register themselves, so that a distribution may leave out their jars.
        noClassesOf(
                "org.restheart.core..",
                "org.restheart.console..",
                "org.restheart.dataapi..",
                "org.restheart.graphql..",
                "org.restheart.mcp..",
                "org.restheart.openapi..");
    }

    /// What is promised to plugins is small enough to be kept.
    @Test
    void plugins_compile_against_few_types() {
        assertThat(CLASSES.stream()
                        .filter(type -> type.getPackageName().equals("org.restheart.plugin")
                                && type.getModifiers().contains(JavaModifier.PUBLIC)))
                .isNotEmpty()
                .hasSizeLessThan(40);
    }

    /// They have no way to data but requests that are judged.
    @Test
    void translators_know_the_vocabulary_alone() {
        noClasses()
                .that()
                .resideInAnyPackage("org.restheart.dataapi..", "org.restheart.mcp..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "org.restheart.core..",
                        "org.restheart.security..",
                        "org.restheart.embedded..",
                        "org.restheart.graphql..",
                        "org.restheart.mongo..",
                        "org.restheart.rest..",
                        "com.mongodb..")
                .check(CLASSES);
    }

    @Test
    void packages_of_core_form_no_cycles() {
        slices().matching("org.restheart.core.(*)..").should().beFreeOfCycles().check(CLASSES);
    }

    /// The package `org.restheart.rest` itself is one of them: it puts the others together, and they do not know it.
    @Test
    void packages_form_no_cycles() {
        slices().matching("org.restheart.(**)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void services_do_not_know_how_they_are_served() {
        noClassesOf(
                "org.restheart.core.service..",
                "org.restheart.core.server..",
                "org.restheart.core.filter..",
                "org.restheart.core.routing..");
    }

    /// Whatever takes a part of the heap is one of those that add up. The others count commands and reads, or look
    /// at it.
    @Test
    void the_heap_is_divided_in_one_place() {
        assertThat(callers(Runtime.class, "maxMemory"))
                .isEqualTo(Words.of("MemoryBudget GatewayConfig ConnectionShares DocumentSizes Fatal"));
    }

    @Test
    void streamed_content_is_pulled_by_the_server_alone() {
        noClasses()
                .that()
                .resideOutsideOfPackage("org.restheart.core.server")
                .should()
                .callMethod(Content.Streamed.class, "source")
                .check(CLASSES);
    }

    /// Undertow's map of them changes while a request is processed.
    @Test
    void header_fields_of_requests_are_read_by_one_class() {
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName("org.restheart.core.server.RequestHead")
                .should()
                .callMethod(HttpServerExchange.class, "getRequestHeaders")
                .orShould()
                .callMethod(HttpServerExchange.class, "getRequestContentLength")
                .check(CLASSES);
    }

    @Test
    void jackson_is_version_3() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("com.fasterxml.jackson.core..", "com.fasterxml.jackson.databind..")
                .check(CLASSES);
    }

    @Test
    void no_two_top_level_types_share_a_simple_name() {
        assertThat(CLASSES.stream()
                        .filter(type ->
                                type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
                        .collect(Collectors.groupingBy(JavaClass::getSimpleName))
                        .values())
                .allSatisfy(types -> assertThat(types).hasSize(1));
    }

    @Test
    void test_tools_stay_in_tests() {
        noClasses()
                .that()
                .resideOutsideOfPackage("org.restheart.testkit..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.restheart.testkit..", "org.junit..", "org.assertj..")
                .check(CLASSES);
    }

    @Test
    void every_package_is_null_marked() {
        assertThat(CLASSES.stream().map(JavaClass::getPackage).distinct())
                .isNotEmpty()
                .allMatch(aPackage -> aPackage.isAnnotatedWith(NullMarked.class));
    }

    @Test
    void the_log_is_the_only_voice_of_everything_behind_the_command_line() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "org.restheart.core.server..",
                        "org.restheart.core.filter..",
                        "org.restheart.core.routing..",
                        "org.restheart.core.service..",
                        "org.restheart.core.metrics..",
                        "org.restheart.core.observation..",
                        "org.restheart.security..",
                        "org.restheart.mongo..",
                        "org.restheart.rest..")
                .should(ACCESS_STANDARD_STREAMS)
                .check(CLASSES);
    }

    /// `BsonDocument.equals` ignores the order of keys: requests that share a result by it could get another
    /// caller's.
    @Test
    void what_is_shared_is_shared_by_canonical_bytes() {
        fields().that()
                .areDeclaredInClassesThat()
                .resideInAnyPackage("org.restheart.mongo..", "org.restheart.rest..")
                .and()
                .haveRawType(describe(
                        "a map, a cache or a set of queues",
                        type -> type.isAssignableTo(Map.class)
                                || type.isAssignableTo(Cache.class)
                                || type.getSimpleName().equals("BatchQueues")))
                .should(haveNoBsonInTheirKeys())
                .check(CLASSES);
    }

    /// Code that reads or writes documents for clients uses module mongo, which applies grants,
    /// coalesces, and invalidates caches; the packages named here store their own records, access
    /// structure only, or access chunks of files, which are reachable only through a file that was
    /// found or written through `find` and `write`.
    @Test
    void few_packages_touch_documents() {
        noClasses()
                .that()
                .resideInAPackage("org.restheart.rest..")
                .and()
                .resideOutsideOfPackages(
                        "org.restheart.rest.schema..",
                        "org.restheart.rest.validator..",
                        "org.restheart.rest.session..",
                        "org.restheart.rest.changestream..",
                        "org.restheart.rest.idempotency..",
                        "org.restheart.rest.importing..",
                        "org.restheart.rest.file..",
                        "org.restheart.rest.management..")
                .should()
                .callMethodWhere(describe(
                        "a document is read or written",
                        call -> call.getTargetOwner().getPackageName().equals("com.mongodb.client")
                                && DOCUMENTS.matcher(call.getName()).matches()))
                .check(CLASSES);
    }

    /// What executes operations knows who asks, since when, and whose memory it uses, but no requests and responses.
    @Test
    void what_executes_operations_knows_no_messages() {
        assertThat(dependencies("org.restheart.mongo.", "org.restheart.http")
                        .map(Dependency::getTargetClass)
                        .map(ArchitectureTest::topLevel)
                        .collect(Collectors.toSet()))
                .isEqualTo(Words.of("""
                    CacheMeter EntityTagList InlineCommand Lease MemoryBudget Problem ProblemCode ProblemException
                    RequestStart Withdrawable
                    CallerScope FairShares TraceScope\
                    """));
    }

    /// These packages of the endpoint use the driver; none may be added.
    @Test
    void few_packages_of_the_endpoint_know_the_driver() {
        assertThat(dependencies("org.restheart.rest", "com.mongodb")
                        .map(dependency -> dependency.getOriginClass().getPackageName())
                        .map(name -> name.substring(name.lastIndexOf('.') + 1))
                        .collect(Collectors.toSet()))
                .isEqualTo(Words.of("""
                    aggregation bulk changestream description document exchange file format guard idempotency importing
                    management parameter reading rest schema service session validator\
                    """));
    }

    /// A tree takes many times the memory of its bytes. A new caller is added when it is known who owns that memory
    /// before there is a tree, or what bounds it.
    @Test
    void trees_are_made_of_bytes_where_their_memory_is_owned() {
        assertThat(callers(RawDocuments.class, "toTree", RawBsonDocument.class))
                .isEqualTo(Words.of("""
                    DataContent Catalog
                    Descriptions StoredMetadata StoredSecurity TokenSeal
                    HalPages RawDocuments\
                    """)); // held; bounded; one at a time
        assertThat(callers(RawDocuments.class, "toTree", BsonValue.class))
                .isEqualTo(Words.of("Aggregations JsonParser PluginSteps RawDocuments"));
        assertThat(callers(JsonParser.class, "parse", String.class))
                .isEqualTo(Words.of("""
                    AfterParameter FilterVariables IdType JsonValues JwtVerifier OpenStream ParameterWarnings SealedTokens
                    ToolCall
                    AppCompiler GraphqlSockets Interpolation PredicateBuilder SchemaTranslator WarningsBody
                    ApplyCommand ApplyFolder GatewayClient ImportCommand Transfer\
                    """)); // of heads; held; short, or our own; in processes of clients
        assertThat(callers(BsonDocumentCodec.class, "<init>")).isEqualTo(Words.of("RawDocuments"));
    }

    /// A virtual thread that yields may be taken by its carrier again at once: [TimeSlices] parks it.
    @Test
    void no_thread_yields() {
        assertThat(callers(Thread.class, "yield")).isEmpty();
        assertThat(callers(TimeSlices.class, "letOthersRun"))
                .isEqualTo(Words.of("EvaluationBudget FindViolations PostDocuments TimeSlices"));
    }

    /// Content that is not read as a whole is not weighed: each piece of it must be bounded.
    @Test
    void content_is_read_piece_by_piece_where_each_piece_is_bounded() {
        assertThat(callers(Body.class, "stream")).isEqualTo(Words.of("""
            GzipContent SecurityFilter
            FileHandlers ForwardedRequest ImportService PostLines\
            """));
    }

    /// The names of the top-level types that call a method, or refer to it.
    private static Set<String> callers(Class<?> owner, String name, Class<?>... parameters) {
        var types = Arrays.stream(parameters).map(Class::getName).toList();
        return CLASSES.stream()
                .flatMap(type -> type.getCodeUnitAccessesFromSelf().stream())
                .filter(access -> access.getTarget().getName().equals(name)
                        && access.getTargetOwner().isAssignableTo(owner)
                        && access.getTarget().getRawParameterTypes().stream()
                                .map(JavaClass::getFullName)
                                .toList()
                                .equals(types))
                .filter(access -> !access.getOriginOwner().getPackageName().startsWith("org.restheart.testkit"))
                .map(access -> topLevel(access.getOriginOwner()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Stream<Dependency> dependencies(String from, String on) {
        return CLASSES.stream()
                .filter(type -> type.getPackageName().startsWith(from))
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .filter(dependency -> dependency
                        .getTargetClass()
                        .getBaseComponentType()
                        .getPackageName()
                        .startsWith(on));
    }

    private static String topLevel(JavaClass type) {
        var name = type.getBaseComponentType().getFullName().replaceFirst("\\$.*", "");
        return name.substring(name.lastIndexOf('.') + 1);
    }

    private static ArchCondition<JavaField> haveNoBsonInTheirKeys() {
        return new ArchCondition<>("have no BSON in their keys but in a QueryKey") {
            @Override
            public void check(JavaField field, ConditionEvents events) {
                if (field.getType() instanceof JavaParameterizedType type) {
                    var key = type.getActualTypeArguments().getFirst();
                    if (holdsBson(key, new HashSet<>())) {
                        events.add(SimpleConditionEvent.violated(
                                field, field.getFullName() + " has keys with BSON: " + key.getName()));
                    }
                }
            }
        };
    }

    private static boolean holdsBson(JavaType type, Set<JavaType> seen) {
        if (!seen.add(type)) {
            return false;
        }
        if (type instanceof JavaParameterizedType generic
                && generic.getActualTypeArguments().stream().anyMatch(argument -> holdsBson(argument, seen))) {
            return true;
        }
        var erasure = type.toErasure();
        return erasure.isAssignableTo(BsonValue.class)
                || (erasure.getPackageName().startsWith("org.restheart")
                        && erasure.getFields().stream()
                                .filter(field -> !field.getModifiers().contains(JavaModifier.STATIC))
                                .anyMatch(field -> holdsBson(field.getType(), seen)));
    }

    /// @param packages on which no class of `of` may depend
    private static void noClassesOf(String of, String... packages) {
        noClasses()
                .that()
                .resideInAPackage(of)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(packages)
                .check(CLASSES);
    }
}
