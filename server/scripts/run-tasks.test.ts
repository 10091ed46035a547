import t from 'tap'
import { type Ended, runTasks, type Task } from './run-tasks.ts'

const node = (name: string, code: string): Task => ({ name, argv: ['--eval', code] })

async function run(tasks: readonly Task[], silenceMs = 600_000, isOver = (_: readonly Ended[]) => false) {
  const ended: Ended[] = []
  const onEnd = (one: Ended) => void ended.push(one)
  await runTasks(tasks, { cwd: '/', jobs: 2, silenceMs, onEnd, isOver: () => isOver(ended) })
  return ended
}

t.test('each task ends with its code and its output', async t => {
  const ended = await run([
    node('good', 'console.log("out"); console.error("err")'),
    node('bad', 'process.exit(3)'),
    node('killed', 'process.kill(process.pid, "SIGKILL")'),
  ])
  const of = (name: string) => ended.find(({ task }) => task.name === name)
  t.match(of('good'), { code: 0, stdout: 'out\n', stderr: 'err\n', wasSilent: false })
  t.match(of('bad'), { code: 3 })
  t.match(of('killed'), { code: 1 })
})

t.test('a task that prints nothing for too long is ended, one that prints goes on', async t => {
  const [silent, control] = await run(
    [
      node('silent', 'setInterval(() => {}, 1000)'),
      node(
        'control',
        'let n = 0; setInterval(() => { console.log(n++); if (n === 20) process.exit() }, 250)',
      ),
    ],
    3_000,
  )
  t.match(silent, { task: { name: 'silent' }, code: 1, wasSilent: true })
  t.match(control, { task: { name: 'control' }, code: 0, wasSilent: false })
})

t.test('no task starts after the run is over', async t => {
  const many = Array.from({ length: 5 }, (_, index) => node(String(index), ''))
  const ended = await run(many, 600_000, all => all.length > 0)
  t.ok(ended.length < 5)
  t.equal((await run(many)).length, 5, 'the control')
})
