import type { Clock } from '../clock'

/** A clock that stands until it is moved. */
export class TestClock implements Clock {
  private time: number

  constructor(start = new Date()) {
    this.time = start.getTime()
  }

  now(): Date {
    return new Date(this.time)
  }

  advance(milliseconds: number): void {
    this.time += milliseconds
  }
}
