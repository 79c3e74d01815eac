import java.util.HashSet;
import java.util.Set;

/** Prints the threads that loading the client's classes has started. */
class LoadsTheClient {
    public static void main(String[] args) throws Exception {
        Set<Thread> before = new HashSet<>(Thread.getAllStackTraces().keySet());
        Class.forName("dev.assay.AssayClient").getMethod("builder").invoke(null);
        Set<Thread> after = new HashSet<>(Thread.getAllStackTraces().keySet());
        after.removeAll(before);
        System.out.println(after);
    }
}
