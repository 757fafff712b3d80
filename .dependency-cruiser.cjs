const TESTS = '\\.test\\.ts$|/testing/|call-route\\.ts$'
const DOMAINS = '^lib/(businesses|keys|integration|catalog|stock|orders|events|webhooks)/'

/** Who may import whom: app → lib → db, one way; domains know no transport; contracts and rules run in a browser too. */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } } },
    { name: 'nothing-imports-app', severity: 'error', from: { pathNot: `^app/|${TESTS}` }, to: { path: '^app/' } },
    { name: 'db-is-the-bottom', severity: 'error', from: { path: '^db/' }, to: { path: '^(lib|ops|e2e|bench)/' } },
    { name: 'lib-stands-on-db-only', severity: 'error', from: { path: '^lib/', pathNot: TESTS }, to: { path: '^(ops|e2e|bench)/' } },
    {
      name: 'domains-know-no-transport',
      severity: 'error',
      from: { path: DOMAINS, pathNot: TESTS },
      to: { path: '^lib/(http|panel|jobs)/|^node_modules/next/' },
    },
    {
      name: 'contracts-run-anywhere',
      severity: 'error',
      from: { path: '^lib/.*contract\\.ts$|^lib/fields\\.ts$|^lib/decimals\\.ts$' },
      to: { pathNot: '^node_modules/zod/|^lib/.*(contract|rules|fields|decimals|errors|context)\\.ts$' },
    },
    { name: 'tests-stay-out', severity: 'error', from: { pathNot: `${TESTS}|^e2e/|^bench/|^db/testing` }, to: { path: TESTS } },
    { name: 'no-orphans', severity: 'error', from: { orphan: true, pathNot: '\\.d\\.ts$|\\.config\\.ts$|^app/|\\.css$' }, to: {} },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default'] },
  },
}
