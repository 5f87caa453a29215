import type { ArtifactStore } from '../contracts/artifact.ts'
import type { Faults } from './fault-plan.ts'
import { createRepeats } from './fault-plan.ts'

/** Wraps a store of artifacts so that its calls fail as planned. */
export function faultyArtifacts(artifacts: ArtifactStore, { write, read }: Faults): ArtifactStore {
  return {
    put: write('artifacts.put', artifacts.put),
    remove: write('artifacts.remove', artifacts.remove),
    get: read('artifacts.get', artifacts.get),
    info: read('artifacts.info', artifacts.info),
    list: read('artifacts.list', artifacts.list)
  }
}

/** Wraps a store of artifacts so that every call is repeated while it throws `store_unavailable`. */
export function repeatingArtifacts(artifacts: ArtifactStore, repeats = 10): ArtifactStore {
  const again = createRepeats(repeats)
  return {
    put: again(artifacts.put),
    remove: again(artifacts.remove),
    get: again(artifacts.get),
    info: again(artifacts.info),
    list: again(artifacts.list)
  }
}
