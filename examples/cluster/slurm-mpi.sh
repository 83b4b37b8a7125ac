#!/bin/sh
#SBATCH --job-name=berge
#SBATCH --ntasks=64
#SBATCH --cpus-per-task=1
#SBATCH --mem-per-cpu=4G
#SBATCH --time=01:00:00
#SBATCH --requeue
#
# berge on SLURM, by MPI: a rank a task, each with its slice of the graph.
#
#     sbatch slurm-mpi.sh graph.berge out saved
#     RANKS=3 sh slurm-mpi.sh graph.berge out saved        with local processes, without SLURM
#
# Graph, result and checkpoint lie on storage that all nodes see. --resume goes on from the checkpoint if
# there is one, so the same line does for a job that is queued again after it lost a node or its time.
set -eu
graph=$1 out=$2 checkpoint=$3

if [ -n "${SLURM_JOB_ID:-}" ]; then
    launch="srun"  # with the --mpi=… that the site asks for
else
    launch="mpiexec -n ${RANKS:-2}"
fi
export NUMBA_NUM_THREADS=1
exec $launch python -m berge.mpi match "$graph" -o "$out" --checkpoint "$checkpoint" --resume --progress
