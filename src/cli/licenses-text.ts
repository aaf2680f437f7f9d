/**
 * Where the collected licences lie inside the executable. This file is what `bun run src/main.ts`
 * sees: nowhere; the build replaces it (scripts/build.ts).
 */
export const licensesPath: string | null = null as string | null
