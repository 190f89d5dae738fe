import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { filesTagged } from './tagged-files.ts';

/**
 * Starts the files that start and kill processes before the others of their project: they take longest and mostly
 * wait, so at the end they would leave processors idle.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const long = new Set(
      ['test/boundaries', 'test/browser', 'test/integration'].flatMap((folder) =>
        filesTagged(folder, 'processes'),
      ),
    );
    const { root } = this.ctx.config;
    const rank = ({ moduleId }: TestSpecification): number =>
      long.has(moduleId.slice(root.length + 1)) ? 0 : 1;
    const sorted = await super.sort(files);
    // Sorting is stable; files of a project stay together, because another project needs new processes.
    return sorted.toSorted(
      (a, b) =>
        sorted.findIndex(({ project }) => project === a.project) -
          sorted.findIndex(({ project }) => project === b.project) || rank(a) - rank(b),
    );
  }
}
