import type { Push, Topic } from "../generated/wire";
import type { Unsubscribe } from "../host/host";
import { RecordedHost } from "../host/recorded";

/** A host whose every push is new objects, as over the boundary to the backend. */
export class BoundaryHost extends RecordedHost {
  override subscribe(topic: Topic, onPush: (push: Push) => void): Unsubscribe {
    return super.subscribe(topic, (push) => onPush(structuredClone(push)));
  }
}
