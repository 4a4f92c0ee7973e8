import type { Reporter, TestModule } from 'vitest/node';

/** Ends a run with its count on a separate line. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]) {
    const states = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => test.result().state),
    );
    const count = (state: string) => states.filter((each) => each === state).length;
    // A file that could not be loaded has no tests to fail.
    const brokenFiles = modules.filter((module) => module.errors().length > 0).length;
    const failed = count('failed') + brokenFiles + unhandledErrors.length;
    const skipped = count('skipped');
    process.stdout.write(
      `\n${count('passed')} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`,
    );
  }
}
