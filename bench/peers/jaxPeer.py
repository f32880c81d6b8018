"""The training runs of bench/agentPrograms.mjs and limit/limit.c in plain JAX, timed: whole runs inside `lax.scan`.

usage: jaxPeer.py {ppo|dqn|sac} [--envs N] [--n-steps N] [--minibatches N] [--updates N] [--steps N] [--hidden a,b]
                  [--precision highest]
Prints one line of JSON: seconds to trace and compile (what the first run takes longer than the best later one), seconds of
the best later run, environment steps a second, and seconds from the start of the process, where BENCH_STARTED has it in
seconds since 1970, to the end of the first run.
"""
import argparse
import json
import os
import time

import jax
import jax.numpy as jnp
from jax import lax, random

GRAVITY, MASS_CART, MASS_POLE, HALF_LENGTH, FORCE, SECONDS = (9.8, 1.0, 0.1, 0.5, 10.0, 0.02)


def cartpole_reset(key):
    return (random.uniform(key, (4,), minval=-0.05, maxval=0.05), jnp.int32(0))


def cartpole_step(key, state, time, action):
    x, x_dot, theta, theta_dot = state
    force = jnp.where(action == 1, FORCE, -FORCE)
    cosine, sine = (jnp.cos(theta), jnp.sin(theta))
    push = (force + MASS_POLE * HALF_LENGTH * theta_dot ** 2 * sine) / (MASS_CART + MASS_POLE)
    theta_acc = (GRAVITY * sine - cosine * push) / (HALF_LENGTH * (4.0 / 3.0 - MASS_POLE * cosine ** 2 / (MASS_CART + MASS_POLE)))
    x_acc = push - MASS_POLE * HALF_LENGTH * theta_acc * cosine / (MASS_CART + MASS_POLE)
    state = jnp.stack([x + SECONDS * x_dot, x_dot + SECONDS * x_acc, theta + SECONDS * theta_dot, theta_dot + SECONDS * theta_acc])
    time = time + 1
    done = (jnp.abs(state[0]) > 2.4) | (jnp.abs(state[2]) > 12 * 2 * jnp.pi / 360) | (time >= 500)
    reset_state, reset_time = cartpole_reset(key)
    next_state = jnp.where(done, reset_state, state)
    next_time = jnp.where(done, reset_time, time)
    return (next_state, next_time, jnp.float32(1.0), done)


def pendulum_reset(key):
    angle_key, speed_key = random.split(key)
    return (jnp.stack([random.uniform(angle_key, (), minval=-jnp.pi, maxval=jnp.pi), random.uniform(speed_key, (), minval=-1.0, maxval=1.0)]), jnp.int32(0))


def pendulum_obs(state):
    return jnp.stack([jnp.cos(state[0]), jnp.sin(state[0]), state[1]])


def pendulum_step(key, state, time, torque):
    theta, theta_dot = state
    torque = jnp.clip(torque, -2, 2)
    angle = (theta + jnp.pi) % (2 * jnp.pi) - jnp.pi
    reward = -(angle ** 2 + 0.1 * theta_dot ** 2 + 0.001 * torque ** 2)
    next_theta_dot = jnp.clip(theta_dot + (15.0 * jnp.sin(theta) + 3.0 * torque) * 0.05, -8, 8)
    state = jnp.stack([theta + next_theta_dot * 0.05, next_theta_dot])
    time = time + 1
    done = time >= 200
    reset_state, reset_time = pendulum_reset(key)
    return (jnp.where(done, reset_state, state), jnp.where(done, reset_time, time), reward, done)


def linear(key, inputs, outputs, scale):
    return {'w': jax.nn.initializers.orthogonal(scale)(key, (inputs, outputs)), 'b': jnp.zeros((outputs,))}


def mlp_init(key, sizes, last):
    keys = random.split(key, len(sizes) - 1)
    return [linear(key, inputs, outputs, 2 ** 0.5 if at < len(sizes) - 2 else last) for at, (key, inputs, outputs) in enumerate(zip(keys, sizes[:-1], sizes[1:]))]


def mlp(params, x, activation):
    for layer in params[:-1]:
        x = activation(x @ layer['w'] + layer['b'])
    return x @ params[-1]['w'] + params[-1]['b']


def adam_init(params):
    return (jax.tree.map(jnp.zeros_like, params), jax.tree.map(jnp.zeros_like, params), jnp.int32(0))


def adam(grads, state, params, lr, clip):
    norm = jnp.sqrt(sum((jnp.sum(x * x) for x in jax.tree.leaves(grads))))
    scale = jnp.minimum(1.0, clip / (norm + 1e-06))
    grads = jax.tree.map(lambda x: x * scale, grads)
    mean, square, count = state
    count = count + 1
    mean = jax.tree.map(lambda a, b: 0.9 * a + 0.1 * b, mean, grads)
    square = jax.tree.map(lambda a, b: 0.999 * a + 0.001 * b * b, square, grads)
    correction1, correction2 = (1 - 0.9 ** count.astype(jnp.float32), 1 - 0.999 ** count.astype(jnp.float32))
    params = jax.tree.map(lambda params, mean, square: params - lr * (mean / correction1) / (jnp.sqrt(square / correction2) + 1e-05), params, mean, square)
    return (params, (mean, square, count))


def ppo(envs, n_steps, updates, hidden, minibatches=4, epochs=4, lr=0.00025):

    def train(key):
        actor_key, critic_key, reset_key, key = random.split(key, 4)
        params = {'a': mlp_init(actor_key, (4, *hidden, 2), 0.01), 'c': mlp_init(critic_key, (4, *hidden, 1), 1.0)}
        optimizer = adam_init(params)
        state, time = jax.vmap(cartpole_reset)(random.split(reset_key, envs))

        def update(carry, _):
            params, optimizer, state, time, lengths, key = carry

            def step(carry, _):
                state, time, lengths, key = carry
                key, action_key, env_key = random.split(key, 3)
                logits = mlp(params['a'], state, jnp.tanh)
                value = mlp(params['c'], state, jnp.tanh)[:, 0]
                action = random.categorical(action_key, logits)
                log_prob = jnp.take_along_axis(jax.nn.log_softmax(logits), action[:, None], 1)[:, 0]
                next_state, next_time, reward, done = jax.vmap(cartpole_step)(random.split(env_key, envs), state, time, action)
                return ((next_state, next_time, lengths, key), (state, action, log_prob, value, reward, done))
            (state, time, lengths, key), steps = lax.scan(step, (state, time, lengths, key), None, n_steps)
            last = mlp(params['c'], state, jnp.tanh)[:, 0]
            all_obs, all_actions, all_log_probs, all_values, all_rewards, all_dones = steps

            def gae(carry, x):
                advantage, next_value = carry
                value, reward, done = x
                alive = 1.0 - done
                advantage = reward + 0.99 * next_value * alive - value + 0.99 * 0.95 * alive * advantage
                return ((advantage, value), advantage)
            _, advantage = lax.scan(gae, (jnp.zeros_like(last), last), (all_values, all_rewards, all_dones), reverse=True)
            returns = advantage + all_values
            batch = n_steps * envs
            flat = jax.tree.map(lambda x: x.reshape((batch,) + x.shape[2:]), (all_obs, all_actions, all_log_probs, advantage, returns))

            def loss(params, rows):
                obs, actions, log_prob, advantages, targets = rows
                log_probs = jax.nn.log_softmax(mlp(params['a'], obs, jnp.tanh))
                value = mlp(params['c'], obs, jnp.tanh)[:, 0]
                new_log_prob = jnp.take_along_axis(log_probs, actions[:, None], 1)[:, 0]
                advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-08)
                ratio = jnp.exp(new_log_prob - log_prob)
                actor_loss = -jnp.minimum(ratio * advantages, jnp.clip(ratio, 0.8, 1.2) * advantages).mean()
                value_loss = 0.5 * ((value - targets) ** 2).mean()
                entropy = -(jnp.exp(log_probs) * log_probs).sum(-1).mean()
                return (actor_loss + 0.5 * value_loss - 0.01 * entropy, entropy)

            def epoch(carry, _):
                params, optimizer, key = carry
                key, permutation_key = random.split(key)
                order = random.permutation(permutation_key, batch)
                batches = jax.tree.map(lambda x: x[order].reshape((minibatches, batch // minibatches) + x.shape[1:]), flat)

                def minibatch(carry, rows):
                    params, optimizer = carry
                    (losses, _), grads = jax.value_and_grad(loss, has_aux=True)(params, rows)
                    params, optimizer = adam(grads, optimizer, params, lr, 0.5)
                    return ((params, optimizer), losses)
                (params, optimizer), losses = lax.scan(minibatch, (params, optimizer), batches)
                return ((params, optimizer, key), losses.mean())
            (params, optimizer, key), losses = lax.scan(epoch, (params, optimizer, key), None, epochs)
            episodes = all_dones.sum()
            return ((params, optimizer, state, time, lengths, key), (losses.mean(), batch / jnp.maximum(episodes, 1)))
        carry, metrics = lax.scan(update, (params, optimizer, state, time, jnp.zeros(envs), key), None, updates)
        return (carry[0], metrics)
    return (train, envs * n_steps * updates)


def dqn(steps, hidden=(128, 128), capacity=100000, batch=64, warm_up=1000):

    def train(key):
        init_key, reset_key, key = random.split(key, 3)
        params = mlp_init(init_key, (4, *hidden, 2), 1.0)
        target = params
        optimizer = adam_init(params)
        state, time = cartpole_reset(reset_key)
        buffer = (jnp.zeros((capacity, 4)), jnp.zeros((capacity,), jnp.int32), jnp.zeros(capacity), jnp.zeros((capacity, 4)), jnp.zeros(capacity))

        def step(carry, step_number):
            params, target, optimizer, state, time, buffer, key = carry
            key, explore_key, env_key, batch_key, random_key = random.split(key, 5)
            epsilon = jnp.maximum(0.01, 1 - step_number / 50000 * 0.99)
            action = jnp.where(random.uniform(explore_key) < epsilon, random.randint(random_key, (), 0, 2), jnp.argmax(mlp(params, state, jax.nn.relu)))
            next_state, next_time, reward, done = cartpole_step(env_key, state, time, action)
            row = step_number % capacity
            buffer = tuple((column.at[row].set(item) for column, item in zip(buffer, (state, action, reward, next_state, done.astype(jnp.float32)))))

            def update(args):
                params, optimizer = args
                rows = random.randint(batch_key, (batch,), 0, jnp.minimum(step_number + 1, capacity))
                obs, actions, rewards, next_obs, dones = tuple((column[rows] for column in buffer))
                goal = rewards + 0.99 * (1 - dones) * mlp(target, next_obs, jax.nn.relu).max(-1)

                def loss(params):
                    value = jnp.take_along_axis(mlp(params, obs, jax.nn.relu), actions[:, None], 1)[:, 0]
                    return ((value - goal) ** 2).mean()
                _, grads = jax.value_and_grad(loss)(params)
                return adam(grads, optimizer, params, 0.001, 10.0)
            params, optimizer = lax.cond(step_number >= warm_up, update, lambda action: action, (params, optimizer))
            target = lax.cond(step_number % 1000 == 0, lambda: params, lambda: target)
            return ((params, target, optimizer, next_state, next_time, buffer, key), reward)
        carry, reward = lax.scan(step, (params, target, optimizer, state, time, buffer, key), jnp.arange(steps))
        return (carry[0], reward)
    return (train, steps)


def sac(steps, hidden=(256, 256), capacity=100000, batch=256, warm_up=1000):

    def actor(p, o, key):
        h = mlp(p, o, jax.nn.relu)
        mu, ls = jnp.split(h, 2, -1)
        ls = jnp.clip(ls, -20, 2)
        e = random.normal(key, mu.shape)
        u = mu + jnp.exp(ls) * e
        a = jnp.tanh(u)
        log_prob = (-0.5 * e ** 2 - ls - 0.9189385 - 2 * (jnp.log(2.0) - u - jax.nn.softplus(-2 * u))).sum(-1)
        return (2 * a, log_prob)

    def critics(p, o, a):
        x = jnp.concatenate([o, a], -1)
        return (mlp(p[0], x, jax.nn.relu)[..., 0], mlp(p[1], x, jax.nn.relu)[..., 0])

    def train(key):
        k1, k2, k3, k4, key = random.split(key, 5)
        actor_params = mlp_init(k1, (3, *hidden, 2), 0.01)
        critic_params = [mlp_init(k2, (4, *hidden, 1), 1.0), mlp_init(k3, (4, *hidden, 1), 1.0)]
        target = critic_params
        actor_optimizer, critic_optimizer, alpha_optimizer = (adam_init(actor_params), adam_init(critic_params), adam_init(jnp.float32(0)))
        log_alpha = jnp.float32(0)
        s, t = pendulum_reset(k4)
        buffer = (jnp.zeros((capacity, 3)), jnp.zeros((capacity, 1)), jnp.zeros(capacity), jnp.zeros((capacity, 3)), jnp.zeros(capacity))

        def step(carry, step_number):
            actor_params, critic_params, target, actor_optimizer, critic_optimizer, alpha_optimizer, log_alpha, s, t, buffer, key = carry
            key, action_key, env_key, batch_key, k1, k2, random_key = random.split(key, 7)
            ob_now = pendulum_obs(s)
            a = jnp.where(step_number < warm_up, random.uniform(random_key, (1,), minval=-2, maxval=2), actor(actor_params, ob_now, action_key)[0])
            next_state, next_time, reward, done = pendulum_step(env_key, s, t, a[0])
            row = step_number % capacity
            buffer = tuple((b.at[row].set(x) for b, x in zip(buffer, (ob_now, a, reward, pendulum_obs(next_state), 0.0 * done))))

            def update(args):
                actor_params, critic_params, target, actor_optimizer, critic_optimizer, alpha_optimizer, log_alpha = args
                rows = random.randint(batch_key, (batch,), 0, jnp.minimum(step_number + 1, capacity))
                obs, actions, rewards, next_obs, dones = tuple((b[rows] for b in buffer))
                alpha = jnp.exp(log_alpha)
                next_action, next_log_prob = actor(actor_params, next_obs, k1)
                target1, target2 = critics(target, next_obs, next_action)
                y = rewards + 0.99 * (1 - dones) * (jnp.minimum(target1, target2) - alpha * next_log_prob)
                _, g = jax.value_and_grad(lambda p: sum((((q - y) ** 2).mean() for q in critics(p, obs, actions))))(critic_params)
                critic_params, critic_optimizer = adam(g, critic_optimizer, critic_params, 0.0003, 10.0)

                def actor_loss(p):
                    a, log_prob = actor(p, obs, k2)
                    x, y = critics(critic_params, obs, a)
                    return ((alpha * log_prob - jnp.minimum(x, y)).mean(), log_prob)
                (_, log_prob), g = jax.value_and_grad(actor_loss, has_aux=True)(actor_params)
                actor_params, actor_optimizer = adam(g, actor_optimizer, actor_params, 0.0003, 10.0)
                g = jax.grad(lambda l: -(jnp.exp(l) * (log_prob - 1.0)).mean())(log_alpha)
                log_alpha, alpha_optimizer = adam(g, alpha_optimizer, log_alpha, 0.0003, 10.0)
                target = jax.tree.map(lambda a, b: 0.995 * a + 0.005 * b, target, critic_params)
                return (actor_params, critic_params, target, actor_optimizer, critic_optimizer, alpha_optimizer, log_alpha)
            out = lax.cond(step_number >= warm_up, update, lambda a: a, (actor_params, critic_params, target, actor_optimizer, critic_optimizer, alpha_optimizer, log_alpha))
            return ((*out, next_state, next_time, buffer, key), reward)
        carry, reward = lax.scan(step, (actor_params, critic_params, target, actor_optimizer, critic_optimizer, alpha_optimizer, log_alpha, s, t, buffer, key), jnp.arange(steps))
        return (carry[0], reward)
    return (train, steps)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('algo', choices=['ppo', 'dqn', 'sac'])
    parser.add_argument('--envs', type=int, default=4)
    parser.add_argument('--n-steps', type=int, default=128)
    parser.add_argument('--minibatches', type=int, default=4)
    parser.add_argument('--updates', type=int, default=195)
    parser.add_argument('--steps', type=int, default=10000)
    parser.add_argument('--hidden', default='')
    parser.add_argument('--runs', type=int, default=3, help='how often it runs after the first time; the best counts')
    parser.add_argument('--precision', default=None, help='of products of float32; TF32 on NVIDIA GPUs unless it is said')
    asked = parser.parse_args()
    if asked.precision is not None:
        jax.config.update('jax_default_matmul_precision', asked.precision)
    hidden = tuple(int(size) for size in asked.hidden.split(',')) if asked.hidden else None
    if asked.algo == 'ppo':
        train, total = ppo(asked.envs, asked.n_steps, asked.updates, hidden or (64, 64), asked.minibatches)
    elif asked.algo == 'dqn':
        train, total = dqn(asked.steps, hidden or (128, 128))
    else:
        train, total = sac(asked.steps, hidden or (256, 256))
    compiled = jax.jit(train)

    def seconds_of(seed):
        """Of a whole run, with what it measured on the host."""
        start = time.perf_counter()
        measured = jax.device_get(compiled(random.PRNGKey(seed))[1])
        return (time.perf_counter() - start, measured)

    first_seconds, _ = seconds_of(1)
    started_seconds = time.time() - float(os.environ.get('BENCH_STARTED', 'nan'))
    runs = [seconds_of(2 + run) for run in range(asked.runs)]
    seconds = min(run[0] for run in runs)
    measured = runs[-1][1]
    report = {
        'algo': asked.algo,
        'jax': jax.__version__,
        'platform': jax.devices()[0].platform,
        'compile_s': round(max(0.0, first_seconds - seconds), 3),
        'run_s': round(seconds, 4),
        'steps': total,
        'sps': round(total / seconds),
    }
    if started_seconds == started_seconds:
        report['start_s'] = round(started_seconds, 3)
    if asked.algo == 'ppo':
        report['episode_length'] = float(measured[1][-5:].mean())
    else:
        report['reward'] = float(measured[-500:].mean())
    print(json.dumps(report), flush=True)


if __name__ == '__main__':
    main()
