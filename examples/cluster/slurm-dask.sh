#!/bin/sh
# A Dask cluster of SLURM tasks, and one solve on it. Wants the folders on storage that all nodes see.
#
#   sbatch examples/cluster/slurm-dask.sh graph.berge out checkpoint
#
# Without SLURM (WORKERS=3 sh examples/cluster/slurm-dask.sh …) the workers are processes here.
#SBATCH --ntasks=64
#SBATCH --cpus-per-task=1
#SBATCH --time=04:00:00
set -eu
graph=$1 out=$2 checkpoint=$3
workers=${SLURM_NTASKS:-${WORKERS:-2}}
threads=${SLURM_CPUS_PER_TASK:-1}
export NUMBA_NUM_THREADS="$threads"

file=$(mktemp -u "${TMPDIR_SHARED:-$PWD}/scheduler-XXXXXX.json")
trap 'kill $started 2>/dev/null; rm -f "$file"' EXIT
started=
dask scheduler --scheduler-file "$file" --port 0 --no-dashboard &
started="$started $!"
worker="dask worker --scheduler-file $file --nthreads $threads --no-dashboard --death-timeout 120"
if [ -n "${SLURM_JOB_ID:-}" ]; then
    srun --kill-on-bad-exit=0 $worker &
    started="$started $!"
else
    for _ in $(seq "$workers"); do
        $worker &
        started="$started $!"
    done
fi

until [ -s "$file" ]; do sleep 0.2; done
address=$(python -c 'import json, sys; print(json.load(open(sys.argv[1]))["address"])' "$file")
berge match "$graph" --cluster "$address" --checkpoint "$checkpoint" --resume -o "$out" \
    --option workers="$workers"
