package org.restheart.testkit;

import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/// Keeps the deployment in the store of JUnit's launcher session, closed at the end of the JVM, since Surefire's JVMs
/// execute one class after the other; and a [TestMongo] in the store of each top-level class, closed after it. Nested
/// classes share their outermost class's.
final class MongoExtension implements ParameterResolver {
    private static final Namespace NAMESPACE = Namespace.create(MongoExtension.class);
    private static final int CLASS_NAME_CHARACTERS = 30;

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == TestMongo.class;
    }

    @Override
    public TestMongo resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return mongo(context);
    }

    static TestMongo mongo(ExtensionContext context) {
        var deployment = context.getStore(StoreScope.LAUNCHER_SESSION, NAMESPACE)
                .getOrComputeIfAbsent(TestDeployment.class, _ -> TestDeployment.find(), TestDeployment.class);
        var outermost = outermostClass(context);
        return outermost
                .getStore(NAMESPACE)
                .getOrComputeIfAbsent(
                        TestMongo.class,
                        _ -> new TestMongo(
                                deployment.client(),
                                deployment.connectionString(),
                                databaseName(outermost.getRequiredTestClass())),
                        TestMongo.class);
    }

    private static ExtensionContext outermostClass(ExtensionContext context) {
        var outermost = context;
        for (var c = context; c.getTestClass().isPresent(); c = c.getParent().orElseThrow()) {
            outermost = c;
        }
        return outermost;
    }

    /// Test runs share a deployment when one is given, hence the random part.
    private static String databaseName(Class<?> testClass) {
        var name = testClass.getSimpleName().toLowerCase(Locale.ROOT);
        var shortened = name.substring(0, Math.min(name.length(), CLASS_NAME_CHARACTERS));
        return shortened + "_" + UUID.randomUUID().toString().substring(0, 8);
    }
}
