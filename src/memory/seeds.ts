import memory from '../../data/seeds/MEMORY.txt' with { type: 'text' }
import user from '../../data/seeds/USER.txt' with { type: 'text' }
import agents from '../../data/seeds/AGENTS.txt' with { type: 'text' }
import relations from '../../data/seeds/RELATIONS.txt' with { type: 'text' }
import firstRun from '../../data/seeds/FIRST_RUN.txt' with { type: 'text' }

/** The files of a new workspace by name. Unchanged seed text is not indexed. */
export const seeds: Readonly<Record<string, string>> = {
  'MEMORY.md': memory,
  'USER.md': user,
  'AGENTS.md': agents,
  'RELATIONS.md': relations,
  'FIRST_RUN.md': firstRun,
}
